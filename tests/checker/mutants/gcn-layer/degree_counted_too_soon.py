# contract: gcn-layer
# cause: degree-before-loops
import torch
import torch.nn as nn


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index):
        n = x.size(0)
        row, col = edge_index
        deg = torch.zeros(n, dtype=x.dtype, device=x.device)
        deg.index_add_(0, col, torch.ones(col.numel(), dtype=x.dtype, device=x.device))

        keep = row != col
        loops = torch.arange(n, device=x.device)
        row, col = torch.cat([row[keep], loops]), torch.cat([col[keep], loops])

        dis = deg.pow(-0.5)
        dis = dis.masked_fill(dis == float("inf"), 0)
        norm = dis[row] * dis[col]
        h = self.lin(x)
        out = torch.zeros_like(h).index_add_(0, col, norm.unsqueeze(-1) * h[row])
        return out + self.bias
