# contract: gcn-layer
# cause: self-loops-missing
import torch
import torch.nn as nn


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features) / in_features**0.5)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj):
        deg = adj.sum(1)
        d = deg.pow(-0.5)
        d[torch.isinf(d)] = 0.0
        norm = d[:, None] * adj * d[None, :]
        return norm @ (x @ self.weight) + self.bias
