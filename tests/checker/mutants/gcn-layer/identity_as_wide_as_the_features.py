# contract: gcn-layer
# cause: nodes-from-features
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_in, n_out) * 0.2)

    def forward(self, x, adj):
        a = adj + torch.eye(x.shape[1], dtype=x.dtype)
        r = a.sum(1).pow(-0.5)
        return (r[:, None] * a * r[None]) @ x @ self.weight
