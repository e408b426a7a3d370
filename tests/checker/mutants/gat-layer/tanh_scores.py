# contract: gat-layer
# cause: unknown
import torch
import torch.nn as nn


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.out_features = out_features
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Parameter(torch.randn(2 * out_features, 1) * 0.3)

    def forward(self, x, adj):
        n = x.size(0)
        h = self.W(x)
        e = torch.tanh(h @ self.a[: self.out_features] + (h @ self.a[self.out_features :]).T)
        e = e.masked_fill(adj.reshape(n, n) == 0, -1e9)
        return e.softmax(dim=1) @ h
