# contract: gat-layer
# cause: softmax-unstable
import torch
from torch import nn


class Conv(nn.Module):
    """Dynamic attention over edges (Brody et al., 2022)."""

    def __init__(self, in_channels, out_channels, heads=1):
        super().__init__()
        self.h, self.c = heads, out_channels
        self.lin_src = nn.Linear(in_channels, heads * out_channels)
        self.lin_dst = nn.Linear(in_channels, heads * out_channels)
        self.att = nn.Parameter(torch.randn(1, heads, out_channels))
        self.bias = nn.Parameter(torch.zeros(heads * out_channels))

    def forward(self, x, edge_index):
        s, t = edge_index
        xs, xt = self.lin_src(x).view(-1, self.h, self.c), self.lin_dst(x).view(-1, self.h, self.c)
        e = (nn.functional.leaky_relu(xs[s] + xt[t], 0.2) * self.att).sum(-1)
        p = (e - e.max()).exp()
        z = torch.zeros(len(x), self.h, dtype=x.dtype).index_add(0, t, p)
        m = xs[s] * (p / z[t])[..., None]
        return torch.zeros_like(xs).index_add(0, t, m).flatten(1) + self.bias
