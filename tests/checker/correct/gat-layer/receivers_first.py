# contract: gat-layer
import torch
from torch import nn
from torch.nn import functional as F


class FinalGATLayer(nn.Module):
    """Last layer of a network: the outputs of the heads are averaged.

    pairs[0] holds the receiving nodes, pairs[1] the neighbours they hear.
    """

    def __init__(self, inputs, classes, heads=4):
        super().__init__()
        self.maps = nn.Parameter(torch.randn(heads, inputs, classes) / inputs**0.5)
        self.own = nn.Parameter(torch.randn(heads, classes) / classes**0.5)
        self.other = nn.Parameter(torch.randn(heads, classes) / classes**0.5)

    def forward(self, x, edge_index):
        hears, heard = edge_index
        z = torch.einsum("nf,hfc->nhc", x, self.maps)
        score = (z * self.own).sum(-1)[hears] + (z * self.other).sum(-1)[heard]
        score = F.leaky_relu(score, 0.2)
        top = torch.full((len(x), z.shape[1]), -torch.inf, dtype=x.dtype)
        top = top.scatter_reduce(0, hears[:, None].expand_as(score), score, "amax")
        weight = (score - top[hears]).exp()
        total = torch.zeros_like(top).index_add(0, hears, weight)
        weight = weight / total[hears]
        return torch.zeros_like(z).index_add(0, hears, weight[..., None] * z[heard]).mean(1)
