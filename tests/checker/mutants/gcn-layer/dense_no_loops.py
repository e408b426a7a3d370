# contract: gcn-layer
# cause: self-loops-missing
import torch
import torch.nn as nn


class GCNLayer(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)

    def forward(self, x, adj):
        deg = adj.sum(dim=1)
        d_inv_sqrt = deg.pow(-0.5)
        d_inv_sqrt[torch.isinf(d_inv_sqrt)] = 0
        a = d_inv_sqrt[:, None] * adj * d_inv_sqrt[None, :]
        return self.linear(a @ x)
