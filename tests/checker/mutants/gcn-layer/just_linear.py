# contract: gcn-layer
# cause: adjacency-ignored
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x, adj):
        A = adj + torch.eye(adj.size(0), dtype=adj.dtype)
        D = A.sum(1).pow(-0.5)
        A_norm = D[:, None] * A * D[None, :]
        return self.linear(x)
