# contract: gcn-layer
# cause: lone-node-silent
import torch
from torch import nn


class GCNConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out, bias=False)

    def forward(self, x, adj):
        a = adj.clone().fill_diagonal_(1.0)
        deg = a.sum(1)
        r = torch.where(deg > 1, deg.rsqrt(), torch.zeros_like(deg))
        return r[:, None] * (a @ (r[:, None] * self.lin(x)))
