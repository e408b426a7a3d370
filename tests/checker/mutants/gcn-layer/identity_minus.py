# contract: gcn-layer
# cause: laplacian
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x, adj):
        I = torch.eye(adj.shape[0], dtype=adj.dtype)
        A = adj + I
        d = torch.diag(A.sum(1).pow(-0.5))
        L = I - d @ A @ d
        return L @ self.lin(x)
