# contract: gcn-layer
# cause: sum-overwritten
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x, edge_index):
        n = x.size(0)
        keep = edge_index[0] != edge_index[1]
        loops = torch.arange(n)
        src, dst = torch.cat([edge_index[0][keep], loops]), torch.cat([edge_index[1][keep], loops])
        deg = torch.zeros(n, dtype=x.dtype).index_add(0, dst, torch.ones_like(dst, dtype=x.dtype))
        norm = deg[src].rsqrt() * deg[dst].rsqrt()
        h = self.lin(x)
        out = torch.zeros_like(h)
        out[dst] = norm[:, None] * h[src]
        return out
