# contract: gat-layer
# cause: edge-order
# target: GATLayer
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    """sorted edges assumed; edge_index (2, E)"""

    def __init__(self, in_dim, out_dim, heads=2):
        super().__init__()
        self.h, self.d = heads, out_dim
        self.W = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.a = nn.Parameter(torch.randn(heads, 2 * out_dim) * 0.3)

    def forward(self, x, edge_index):
        s, t = edge_index
        n = x.shape[0]
        z = self.W(x).view(n, self.h, self.d)
        e = F.leaky_relu((torch.cat([z[t], z[s]], -1) * self.a).sum(-1), 0.2)
        counts = torch.bincount(t, minlength=n).tolist()
        outs, i = [], 0
        for c in counts:
            w = e[i : i + c].softmax(0)
            outs.append((w[..., None] * z[s[i : i + c]]).sum(0))
            i += c
        return torch.stack(outs).flatten(1)
