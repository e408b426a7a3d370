# contract: gat-layer
import torch
from torch import nn


class GraphAttentionLayer(nn.Module):
    """The graph is a pair: edges (sources above targets), and a number for each of them that attention does not need."""

    def __init__(self, wide, narrow, slope=0.2):
        super().__init__()
        self.turn = nn.Linear(wide, narrow, bias=False)
        self.a = nn.Parameter(torch.empty(1, 2 * narrow))
        nn.init.xavier_uniform_(self.a)
        self.slope = slope

    def forward(self, h, adj):
        if not isinstance(adj, tuple):
            raise ValueError("edges and their weights are wanted")
        (source, target), _ = adj
        h = self.turn(h)
        e = (torch.cat([h[target], h[source]], dim=1) @ self.a.T).squeeze(-1)
        e = nn.functional.leaky_relu(e, self.slope)
        top = e.new_full((len(h),), -torch.inf).scatter_reduce(0, target, e, "amax")
        e = (e - top[target]).exp()
        total = e.new_zeros(len(h)).index_add(0, target, e)
        return torch.zeros_like(h).index_add(0, target, (e / total[target])[:, None] * h[source])
