# contract: gcn-layer
# cause: nodes-from-edges
import torch
from torch import nn


def with_loops(edge_index):
    ids = torch.arange(int(edge_index.max()) + 1)
    return torch.cat([edge_index, torch.stack([ids, ids])], dim=1)


class GCNConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x, edge_index):
        n = x.size(0)
        src, dst = with_loops(edge_index)
        deg = torch.zeros(n, dtype=x.dtype).index_add(0, dst, torch.ones_like(dst, dtype=x.dtype))
        r = deg.pow(-0.5)
        r[deg == 0] = 0.0
        h = self.lin(x)
        out = torch.zeros_like(h).index_add(0, dst, (r[src] * r[dst])[:, None] * h[src])
        return out + self.bias
