# contract: gat-layer
# cause: across-batch
import torch
from torch import nn


class BatchedGAT(nn.Module):
    """x (b, n, f), adj (b, n, n): row i holds whom node i listens to."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Linear(n_in, n_out, bias=False)
        self.a_self, self.a_neigh = nn.Linear(n_out, 1, bias=False), nn.Linear(n_out, 1, bias=False)

    def forward(self, x, adj):
        h = self.w(x)
        e = nn.functional.leaky_relu(self.a_self(h) + self.a_neigh(h).mT, 0.2)
        return torch.softmax(e.masked_fill(adj[0] == 0, -1e9), dim=-1) @ h
