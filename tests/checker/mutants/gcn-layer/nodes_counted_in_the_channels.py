# contract: gcn-layer
# cause: nodes-from-features
import torch
from torch import nn


class GCNLayer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(n_in, n_out)

    def forward(self, x, edge_index):
        h = self.lin(x)
        n = h.size(1)
        ids = torch.arange(n)
        src, dst = torch.cat([edge_index, torch.stack([ids, ids])], 1)
        deg = torch.bincount(dst, minlength=n).to(x.dtype)
        coef = (deg[src] * deg[dst]).rsqrt()
        return torch.zeros_like(h).index_add(0, dst, coef[:, None] * h[src])
