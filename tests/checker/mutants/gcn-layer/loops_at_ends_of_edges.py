# contract: gcn-layer
# cause: unknown
# target: GCNLayer
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)

    def forward(self, x, edge_index):
        a = torch.zeros(len(x), len(x), dtype=x.dtype)
        a[edge_index[1], edge_index[0]] = 1.0
        ends = edge_index.unique()
        a[ends, ends] = 1.0
        root = a.sum(1).clamp(min=1).rsqrt()
        return (root[:, None] * a * root) @ (x @ self.lin.weight.T) + self.lin.bias
