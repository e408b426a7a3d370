"""Experiments on text: language models, decoding, positions."""
