"""Tokenizers, and windows into a text of tokens."""
