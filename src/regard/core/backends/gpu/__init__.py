"""Kernels for a GPU, in Triton: linear attention by chunks, sums over edges by rows."""
