# contract: gcn-layer
# cause: direction-reversed
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    """edge_index: row 0 sources, row 1 targets."""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        n = x.size(0)
        edge_index = edge_index[:, edge_index[0] != edge_index[1]]
        loop = torch.arange(n, device=x.device).repeat(2, 1)
        edge_index = torch.cat([edge_index, loop], dim=1)
        row, col = edge_index
        deg = torch.zeros(n, dtype=x.dtype, device=x.device)
        deg.index_add_(0, row, torch.ones_like(row, dtype=x.dtype))
        norm = deg[row].rsqrt() * deg[col].rsqrt()
        h = self.lin(x)
        out = torch.zeros_like(h)
        out.index_add_(0, row, norm.unsqueeze(1) * h[col])
        return out + self.bias
