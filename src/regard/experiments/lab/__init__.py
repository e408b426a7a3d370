"""Experiments on the lab itself."""
