# contract: gcn-layer
# cause: size-dependent
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(in_features, out_features))

    def forward(self, x, adj):
        a = adj.clone().fill_diagonal_(1)
        d = a.sum(1).clamp(max=8).rsqrt()
        return d[:, None] * a * d[None] @ x @ self.weight
