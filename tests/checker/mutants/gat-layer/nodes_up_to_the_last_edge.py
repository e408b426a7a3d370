# contract: gat-layer
# cause: nodes-from-edges
import torch
from torch import nn
from torch.nn import functional as F


class EdgeGAT(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)
        self.att = nn.Parameter(torch.randn(2 * d_out) * 0.3)

    def forward(self, x, edge_index):
        n = edge_index.max().item() + 1
        src, dst = edge_index
        h = self.lin(x[:n])
        e = F.leaky_relu(torch.cat([h[dst], h[src]], -1) @ self.att, 0.2)
        rows = []
        for i in range(n):
            own = dst == i
            rows.append((e[own].softmax(0)[:, None] * h[src[own]]).sum(0))
        return torch.stack(rows)
