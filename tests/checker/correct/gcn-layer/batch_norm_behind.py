# contract: gcn-layer
# target: GCNLayer
import torch
from torch import nn


class GCNLayer(nn.Module):
    """A graph convolution, then a ReLU and a batch norm."""

    def __init__(self, n_in: int, n_out: int):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out, bias=False)
        self.norm = nn.BatchNorm1d(n_out)

    def forward(self, x, adj):
        a = ((adj + torch.eye(len(adj), dtype=adj.dtype)) > 0).to(x.dtype)
        root = a.sum(1).rsqrt()
        return self.norm(torch.relu((root[:, None] * a * root) @ self.lin(x)))
