# contract: gat-layer
# cause: leaky-missing
import torch
import torch.nn as nn


class GraphAttention(nn.Module):
    def __init__(self, in_features, out_features, dropout=0.0):
        super().__init__()
        self.out_features = out_features
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Parameter(torch.randn(2 * out_features, 1) * 0.5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, adj):
        h = self.W(x)
        n = h.size(0)
        e = h @ self.a[: self.out_features] + (h @ self.a[self.out_features :]).T
        e = e.masked_fill(adj.reshape(n, n) == 0, -1e9)
        return self.dropout(torch.softmax(e, dim=1)) @ h
