# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class GATLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.slope = heads, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x, edge_index):
        j, i = edge_index
        n = x.shape[0]
        h = (x @ self.W).unflatten(1, (self.heads, -1))
        e = F.leaky_relu((torch.cat([h[i], h[j]], -1) * self.a).sum(-1), self.slope)
        index = i[:, None].expand_as(e)
        top = torch.zeros(n, self.heads, dtype=e.dtype).scatter_reduce(0, index, e, "amax", include_self=False)
        num = torch.exp(e - top.detach()[i])
        den = torch.zeros_like(top).scatter_add(0, index, num)
        y = torch.zeros_like(h).index_add(0, i, (num / den[i]).unsqueeze(-1) * h[j])
        return y.flatten(1) + self.bias
