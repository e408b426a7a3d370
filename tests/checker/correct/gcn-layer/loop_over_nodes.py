# contract: gcn-layer
import torch
import torch.nn as nn


class SlowGCN(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.W = nn.Parameter(torch.randn(in_dim, out_dim) * 0.3)
        self.b = nn.Parameter(torch.zeros(out_dim))

    def forward(self, x, adj):
        n = x.size(0)
        neigh = []
        for i in range(n):
            neigh.append({i} | {j for j in range(n) if adj[i, j] != 0})
        h = x @ self.W
        rows = []
        for i in range(n):
            rows.append(sum(h[j] / (len(neigh[i]) * len(neigh[j])) ** 0.5 for j in sorted(neigh[i])))
        return torch.stack(rows) + self.b
