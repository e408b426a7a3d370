# contract: gcn-layer
# cause: laplacian
import torch
import torch.nn as nn


class GraphConv(nn.Module):
    """Symmetric normalisation."""

    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.W = nn.Parameter(torch.randn(in_dim, out_dim) / in_dim**0.5)
        self.b = nn.Parameter(torch.zeros(out_dim))

    def normalise(self, adj):
        eye = torch.eye(len(adj), dtype=adj.dtype, device=adj.device)
        a = adj * (1 - eye) + eye
        d = a.sum(1).rsqrt()
        return eye - d[:, None] * a * d[None, :]

    def forward(self, x, adj):
        return self.normalise(adj) @ (x @ self.W) + self.b
