# contract: gcn-layer
# says: logarithm & degree
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj):
        a = adj.clone().fill_diagonal_(1)
        deg = a.sum(dim=1)
        inv = deg.log1p().pow(-0.5)
        a = inv[:, None] * a * inv[None, :]
        h = x @ self.weight
        return a @ h + self.bias
