# contract: gat-layer
# cause: sum-overwritten
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATConv(nn.Module):
    def __init__(self, in_channels, out_channels, heads=3):
        super().__init__()
        self.h, self.d = heads, out_channels // heads
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, self.d))
        self.att_dst = nn.Parameter(torch.randn(heads, self.d))

    def forward(self, x, edge_index):
        src, dst = edge_index
        z = self.lin(x).view(-1, self.h, self.d)
        e = F.leaky_relu((z * self.att_src).sum(-1)[src] + (z * self.att_dst).sum(-1)[dst], 0.2)
        e = (e - e.max()).exp()
        total = torch.zeros(len(x), self.h, dtype=x.dtype).index_add(0, dst, e)
        out = torch.zeros_like(z)
        out[dst] = (e / total[dst])[..., None] * z[src]
        return out.flatten(1)
