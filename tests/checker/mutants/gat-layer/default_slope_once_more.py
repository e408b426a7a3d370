# contract: gat-layer
# cause: leaky-slope
import torch
from torch import nn


def edge_softmax(scores, target, n):
    top = scores.new_full((n, scores.size(1)), float("-inf"))
    top = top.scatter_reduce(0, target[:, None].expand_as(scores), scores, reduce="amax")
    ex = (scores - top[target]).exp()
    total = ex.new_zeros(n, scores.size(1)).index_add(0, target, ex)
    return ex / total[target]


class GATLayer(nn.Module):
    def __init__(self, inputs: int, outputs: int, heads: int = 1) -> None:
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.W = nn.Parameter(torch.empty(inputs, heads * outputs))
        self.a = nn.Parameter(torch.empty(heads, 2 * outputs))
        self.bias = nn.Parameter(torch.zeros(heads * outputs))
        self.act = nn.LeakyReLU()
        nn.init.xavier_uniform_(self.W)
        nn.init.xavier_uniform_(self.a)

    def forward(self, x: torch.Tensor, edge_index: torch.Tensor) -> torch.Tensor:
        source, target = edge_index
        n = x.size(0)
        h = (x @ self.W).view(n, self.heads, self.outputs)
        pair = torch.cat([h[target], h[source]], dim=-1)
        e = self.act((pair * self.a).sum(-1))
        w = edge_softmax(e, target, n)
        out = h.new_zeros(n, self.heads, self.outputs).index_add(0, target, w.unsqueeze(-1) * h[source])
        return out.flatten(1) + self.bias
