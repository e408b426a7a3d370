"""Experiments: a folder for each chapter, a file or a folder for each experiment. The folders are the registry."""
