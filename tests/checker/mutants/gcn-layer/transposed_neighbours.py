# contract: gcn-layer
# cause: direction-reversed
import torch
import torch.nn as nn


class GraphConvolutionLayer(nn.Module):
    """adj[i, j] = 1: node i listens to node j."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, adj):
        a = adj.clone()
        a.fill_diagonal_(1)
        d = a.sum(1) ** -0.5
        a = d.view(-1, 1) * a * d.view(1, -1)
        return a.T @ (x @ self.weight) + self.bias
