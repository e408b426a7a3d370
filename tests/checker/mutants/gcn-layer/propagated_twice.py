# contract: gcn-layer
# cause: adjacency-squared
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.w = nn.Linear(in_features, out_features, bias=False)

    def norm(self, A):
        A = A + torch.eye(A.size(0), dtype=A.dtype)
        d = A.sum(1).rsqrt()
        return d.unsqueeze(1) * A * d.unsqueeze(0)

    def forward(self, x, adj):
        A = self.norm(adj)
        h = A @ x
        return A @ self.w(h)
