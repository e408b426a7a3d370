# contract: gat-layer
# cause: bias-dropped
import torch
import torch.nn as nn
import torch.nn.functional as F


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads=2):
        super().__init__()
        self.num_heads, self.out_dim = num_heads, out_dim
        self.lin = nn.Linear(in_dim, num_heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, num_heads, out_dim) * 0.3)
        self.att_dst = nn.Parameter(torch.randn(1, num_heads, out_dim) * 0.3)
        self.bias = nn.Parameter(torch.zeros(num_heads * out_dim))

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        h = self.lin(x).view(n, self.num_heads, self.out_dim)
        e = F.leaky_relu((h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst], 0.2)
        full = torch.full((n, n, self.num_heads), -1e9, dtype=x.dtype)
        full = full.index_put((dst, src), e)
        a = full.softmax(1) * (full > -1e8)
        return torch.einsum("ijh,jhf->ihf", a, h).reshape(n, -1)
