"""Attention over an edge list: autograd, sums by torch, sums compiled."""
