# contract: gat-layer
# cause: not-equivariant
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, alpha=0.2):
        super().__init__()
        self.out_features = out_features
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a = nn.Parameter(torch.randn(2 * out_features, 1) * 0.3)
        self.alpha = alpha

    def forward(self, x, adj):
        n = x.size(0)
        h = self.W(x)
        pos = torch.arange(n, dtype=x.dtype).unsqueeze(1) / n
        h = h + pos
        e = F.leaky_relu(h @ self.a[: self.out_features] + (h @ self.a[self.out_features :]).T, self.alpha)
        e = e.masked_fill(adj.reshape(n, n) == 0, -1e9)
        return e.softmax(dim=1) @ h
