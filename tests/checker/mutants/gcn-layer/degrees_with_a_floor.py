# contract: gcn-layer
# cause: degree-before-loops
import torch
from torch import nn


class GCN(nn.Module):
    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_in, n_out) / n_in**0.5)

    def forward(self, features, adj):
        root = torch.clamp(adj.sum(dim=1), min=1e-8) ** -0.5
        hat = adj + torch.eye(adj.shape[0], dtype=adj.dtype)
        return torch.diag(root) @ hat @ torch.diag(root) @ features @ self.weight
