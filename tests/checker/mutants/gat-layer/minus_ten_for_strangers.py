# contract: gat-layer
# cause: mask-too-weak
import torch
from torch import nn


class GraphAttention(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Linear(n_in, n_out, bias=False)
        self.a_self, self.a_neigh = nn.Linear(n_out, 1, bias=False), nn.Linear(n_out, 1, bias=False)

    def forward(self, x, adj):
        h = self.w(x)
        e = nn.functional.leaky_relu(self.a_self(h) + self.a_neigh(h).T, 0.2)
        return torch.softmax(torch.where(adj > 0, e, torch.full_like(e, -10.0)), dim=1) @ h
