# contract: gcn-layer
# cause: column-normalised
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.W = nn.Linear(in_features, out_features, bias=False)

    def forward(self, x, adj):
        A = adj + torch.eye(len(adj), dtype=adj.dtype)
        deg = A.sum(1)
        return A @ torch.diag(1 / deg) @ self.W(x)
