# contract: gat-layer
# cause: leaky-slope
import torch
from torch import nn


class GATv2(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__()
        self.h, self.c = heads, out_channels
        self.lin_src = nn.Linear(in_channels, heads * out_channels)
        self.lin_dst = nn.Linear(in_channels, heads * out_channels)
        self.att = nn.Parameter(torch.randn(1, heads, out_channels))

    def forward(self, x, adj):
        n = len(x)
        xs, xt = self.lin_src(x).view(n, self.h, self.c), self.lin_dst(x).view(n, self.h, self.c)
        e = (nn.functional.leaky_relu(xs[None] + xt[:, None]) * self.att).sum(-1)
        w = e.masked_fill(adj[..., None] == 0, -1e9).softmax(1)
        return torch.einsum("ijh,jhc->ihc", w, xs).flatten(1)
