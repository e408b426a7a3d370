# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class ColumnGATLayer(nn.Module):
    """Dense graph attention; column i of adj holds the nodes that node i listens to."""

    def __init__(self, nfeat, nhid, alpha=0.2):
        super().__init__()
        self.W = nn.Parameter(torch.randn(nfeat, nhid) / nfeat**0.5)
        self.a = nn.Parameter(torch.randn(2 * nhid, 1) / nhid**0.5)
        self.alpha = alpha

    def forward(self, x, adj):
        h = x @ self.W
        d = h.shape[1]
        scores = F.leaky_relu((h @ self.a[:d]).T + h @ self.a[d:], self.alpha)
        weights = scores.masked_fill(adj == 0, -9e15).softmax(0)
        return weights.T @ h
