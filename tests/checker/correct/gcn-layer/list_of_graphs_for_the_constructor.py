# contract: gcn-layer
# target: GraphConvolution
import torch
from torch import nn


class GraphConvolution(nn.Module):
    """One weight for each of several normalised graphs."""

    def __init__(self, n_in: int, n_out: int, supports):
        super().__init__()
        self.supports = supports
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(n_in, n_out) * 0.1) for _ in supports)

    def forward(self, x):
        return sum(graph @ (x @ weight) for graph, weight in zip(self.supports, self.weights))
