"""Attention on the pixels of digits beside a convolutional network."""
