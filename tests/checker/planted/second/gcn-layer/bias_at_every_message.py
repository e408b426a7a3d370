# contract: gcn-layer
# says: bias & (message|each|every)
import torch
from torch import nn


class GCNConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.w = nn.Parameter(torch.randn(n_in, n_out) * 0.2)
        self.b = nn.Parameter(torch.zeros(n_out))

    def forward(self, x, adj):
        a = ((adj != 0) | torch.eye(len(x), dtype=torch.bool)).to(x.dtype)
        deg = a.sum(1)
        rows = []
        for i in range(len(x)):
            y = torch.zeros_like(self.b)
            for j in a[i].nonzero().flatten():
                y = y + (x[j] @ self.w) / (deg[i] * deg[j]).sqrt() + self.b
            rows.append(y)
        return torch.stack(rows)
