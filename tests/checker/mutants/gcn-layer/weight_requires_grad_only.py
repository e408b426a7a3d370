# contract: gcn-layer
# cause: weights-unregistered
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = torch.randn(in_features, out_features, requires_grad=True)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x, adj):
        a = adj.clone().fill_diagonal_(1)
        d = a.sum(1).rsqrt()
        return d[:, None] * a * d[None] @ x @ self.weight + self.bias
