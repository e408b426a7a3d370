"""Attention: scaled dot product, multi-head, causal; what they share."""
