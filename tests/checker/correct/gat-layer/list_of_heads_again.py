# contract: gat-layer
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, in_dim, out_dim, slope):
        super().__init__()
        self.fc = nn.Linear(in_dim, out_dim, bias=False)
        self.attn = nn.Linear(2 * out_dim, 1, bias=False)
        self.act = nn.LeakyReLU(slope)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        z = self.fc(x)
        e = self.act(self.attn(torch.cat([z[dst], z[src]], dim=1))).squeeze(1)
        top = torch.full((n,), float('-inf'), dtype=e.dtype).scatter_reduce(0, dst, e.detach(), 'amax')
        p = torch.exp(e - top[dst])
        s = torch.zeros(n, dtype=e.dtype).scatter_add(0, dst, p)
        w = p / s[dst]
        return torch.zeros_like(z).index_add(0, dst, w[:, None] * z[src])


class MultiHeadGAT(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads=3, slope=0.2):
        super().__init__()
        self.heads = nn.ModuleList([Head(in_dim, out_dim, slope) for _ in range(num_heads)])

    def forward(self, x, edge_index):
        return torch.cat([head(x, edge_index) for head in self.heads], dim=1)
