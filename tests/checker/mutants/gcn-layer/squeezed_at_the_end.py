# contract: gcn-layer
# cause: unknown
# target: GCNLayer
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)

    def forward(self, x, adj):
        a = ((adj + torch.eye(len(adj), dtype=adj.dtype)) > 0).to(x.dtype)
        root = a.sum(1).rsqrt()
        return ((root[:, None] * a * root) @ (x @ self.lin.weight.T) + self.lin.bias).squeeze()
