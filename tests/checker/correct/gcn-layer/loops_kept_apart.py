# contract: gcn-layer
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    """The loop is never added to the matrix: its share is x / d, added at the end."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outputs, inputs) / inputs ** 0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, adj):
        others = adj - torch.diag(torch.diagonal(adj))
        d = others.sum(1) + 1
        r = d ** -0.5
        y = r[:, None] * (others @ (r[:, None] * x)) + x / d[:, None]
        return nn.functional.linear(y, self.weight, self.bias)
