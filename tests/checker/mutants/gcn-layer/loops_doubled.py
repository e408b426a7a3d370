# contract: gcn-layer
# cause: self-loops-double
import torch
import torch.nn as nn


def with_loops(adj):
    return adj.clone().fill_diagonal_(1.0) + torch.eye(len(adj), dtype=adj.dtype, device=adj.device)


class GCNLayer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x, adj):
        a = with_loops(adj)
        d = a.sum(-1).pow(-0.5)
        return (d[:, None] * a * d) @ (x @ self.weight) + self.bias
