# contract: gcn-layer
# cause: root-not-inverted
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.W = nn.Parameter(torch.randn(in_features, out_features) * 0.3)

    def forward(self, x, adj):
        A = adj + torch.eye(adj.shape[0], dtype=adj.dtype)
        D = torch.diag(torch.sqrt(A.sum(1)))
        return torch.linalg.multi_dot([D, A, D, x, self.W])
