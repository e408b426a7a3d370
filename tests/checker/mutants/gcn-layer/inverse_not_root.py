# contract: gcn-layer
# cause: root-missing
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        n = x.size(0)
        loops = torch.arange(n)
        edge_index = edge_index[:, edge_index[0] != edge_index[1]]
        row = torch.cat([edge_index[0], loops])
        col = torch.cat([edge_index[1], loops])
        deg = torch.zeros(n, dtype=x.dtype).index_add(0, col, torch.ones(col.numel(), dtype=x.dtype))
        inv = 1.0 / deg
        norm = inv[row] * inv[col]
        h = self.lin(x)
        return torch.zeros_like(h).index_add(0, col, norm[:, None] * h[row]) + self.bias
