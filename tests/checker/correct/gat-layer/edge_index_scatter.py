# contract: gat-layer
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, heads=1):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out_dim) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(1, heads, out_dim) * 0.3)
        self.bias = nn.Parameter(torch.zeros(heads * out_dim))

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        h = self.lin(x).view(n, self.heads, self.out_dim)
        e = F.leaky_relu((h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst], 0.2)
        top = torch.full((n, self.heads), -1e9, dtype=x.dtype).scatter_reduce(0, dst[:, None].expand_as(e), e, "amax")
        w = torch.exp(e - top[dst])
        total = torch.zeros(n, self.heads, dtype=x.dtype).index_add(0, dst, w)
        alpha = w / total[dst]
        out = torch.zeros_like(h).index_add(0, dst, alpha[..., None] * h[src])
        return out.flatten(1) + self.bias
