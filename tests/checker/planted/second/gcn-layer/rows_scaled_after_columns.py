# contract: gcn-layer
# says: rows & columns & (scaled|sum)
import torch
from torch import nn


class GCNConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out, bias=False)

    def forward(self, x, adj):
        a = adj.clone().fill_diagonal_(1.0)
        a = a / a.sum(1, keepdim=True).T.sqrt()
        a = a / a.sum(1, keepdim=True).sqrt()
        return a @ self.lin(x)
