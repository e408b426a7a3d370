# contract: gcn-layer
# cause: self-loops-missing
import torch
from torch import nn


class GCNLayer(nn.Module):
    """edge_index: sources above targets; features are scaled before and after the sum."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.fc = nn.Linear(n_in, n_out, bias=False)
        self.b = nn.Parameter(torch.zeros(n_out))

    def forward(self, x, edge_index):
        source, target = edge_index[:, edge_index[0] != edge_index[1]]
        scale = x.new_ones(len(x)).index_add(0, target, x.new_ones(len(target))).rsqrt()[:, None]
        h = scale * self.fc(x)
        return scale * torch.zeros_like(h).index_add(0, target, h[source]) + self.b
