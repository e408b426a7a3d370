# contract: gat-layer
# cause: unknown
import torch
from torch import nn
from torch.nn import functional as F


def edge_softmax(e, target, n):
    m = e.new_full((n, e.shape[1]), -1e30).index_reduce(0, target, e, "amax")
    p = torch.exp(e - m[target])
    z = e.new_zeros(n, e.shape[1]).index_add(0, target, p)
    return p / z[target].clamp_min(1e-30)


class GATLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 1, slope: float = 0.2) -> None:
        super().__init__()
        self.heads, self.outputs, self.slope = heads, outputs, slope
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        source, target = edge_index
        n, d = x.shape[0], self.outputs
        h = (x @ self.W).reshape(n, self.heads, d)
        to = torch.einsum("nhd,hd->nh", h, self.a[:, :d])
        fro = torch.einsum("nhd,hd->nh", h, self.a[:, :d])
        e = F.leaky_relu(to[target] + fro[source], self.slope)
        w = edge_softmax(e, target, n)
        y = torch.zeros_like(h).index_add(0, target, w[:, :, None] * h[source])
        return y.reshape(n, -1) + self.bias
