# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class GuardedGATConv(nn.Module):
    """Exponentials and sums over a list of edges, with an assertion that float32 would not overflow."""

    def __init__(self, in_dim, out_dim, slope=0.2):
        super().__init__()
        self.slope = slope
        self.project = nn.Linear(in_dim, out_dim, bias=False)
        self.att = nn.Parameter(torch.randn(1, 2 * out_dim) / out_dim**0.5)

    def forward(self, x, edge_index):
        source, target = edge_index
        h = self.project(x)
        pairs = torch.cat([h[target], h[source]], dim=1)
        weight = torch.exp(F.leaky_relu((pairs * self.att).sum(1), self.slope))
        assert weight.max() < 3e38, "float32 would overflow"
        total = torch.zeros(len(x), dtype=x.dtype).index_add(0, target, weight)
        summed = torch.zeros_like(h).index_add(0, target, weight[:, None] * h[source])
        return summed / total.clamp_min(1e-300)[:, None]
