# contract: gat-layer
# cause: direction-reversed
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, heads=1):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, out_dim) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(heads, out_dim) * 0.3)

    def forward(self, x, edge_index):
        dst, src = edge_index
        n = x.size(0)
        h = self.lin(x).view(n, self.heads, self.out_dim)
        e = F.leaky_relu((h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst], 0.2)
        e = torch.exp(e - e.max(0, keepdim=True).values)
        total = torch.zeros(n, self.heads, dtype=x.dtype).index_add(0, dst, e)
        a = e / (total[dst] + 1e-16)
        return torch.zeros_like(h).index_add(0, dst, a[..., None] * h[src]).flatten(1)
