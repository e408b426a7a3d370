# contract: gcn-layer
# cause: self-loops-double
import torch
import torch.nn as nn


class GraphConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.W = nn.Parameter(torch.randn(in_dim, out_dim) * 0.3)
        self.b = nn.Parameter(torch.zeros(out_dim))

    def normalise(self, A):
        A = A + torch.eye(A.shape[0], dtype=A.dtype)
        D = torch.diag(A.sum(1) ** -0.5)
        return D @ A @ D

    def forward(self, x, adj):
        adj = adj + torch.eye(adj.shape[0], dtype=adj.dtype)
        return self.normalise(adj) @ x @ self.W + self.b
