# contract: gcn-layer
# cause: unknown
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.lin = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x, adj):
        A = adj + torch.eye(adj.size(0), dtype=adj.dtype)
        d = A.sum(1) ** (-1 / 3)
        return d[:, None] * (A @ (d[:, None] * self.lin(x)))
