"""Experiments on graphs: GCN, GAT, message passing."""
