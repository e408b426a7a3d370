# contract: gcn-layer
import torch
from torch import nn


class GraphConvByRows(nn.Module):
    """Kipf and Welling's layer on a list of edges given as (target, source) pairs; loops are added here."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        here = torch.arange(len(x))
        rows, columns = edge_index[:, edge_index[0] != edge_index[1]]
        rows, columns = torch.cat([rows, here]), torch.cat([columns, here])
        root = torch.bincount(rows, minlength=len(x)).to(x.dtype).rsqrt()
        message = (root[rows] * root[columns])[:, None] * self.lin(x)[columns]
        return torch.zeros_like(self.lin(x)).index_add(0, rows, message) + self.bias
