"""Training on a GPU: steps as CUDA graphs, and head and loss in one."""
