# contract: gcn-layer
# cause: self-loops-missing, row-normalised
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, adj):
        degree = adj.sum(1, keepdim=True).clamp(min=1)
        return (adj / degree) @ x @ self.weight + self.bias
