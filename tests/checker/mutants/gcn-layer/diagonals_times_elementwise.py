# contract: gcn-layer
# cause: diagonal-alone
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out)

    def forward(self, x, adj):
        a = torch.maximum(adj, torch.eye(len(adj), dtype=adj.dtype))
        d = torch.diag(a.sum(1) ** -0.5)
        return (d * a * d) @ (x @ self.fc.weight.T) + self.fc.bias
