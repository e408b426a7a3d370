"""Attention in linear time: by a kernel, by low rank, by projection."""
