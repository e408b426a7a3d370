# contract: causal-attention
# cause: softmax-queries
import torch
from torch import nn, einsum


class SelfAttn(nn.Module):
    """Causal multi-head self-attention."""

    def __init__(self, dim, heads=4):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.o = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        h = self.heads
        q = self.q(x).reshape(b, n, h, c // h) * self.scale
        k = self.k(x).reshape(b, n, h, c // h)
        v = self.v(x).reshape(b, n, h, c // h)
        a = einsum("bihd,bjhd->bhij", q, k)
        hide = torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1)
        a = a.masked_fill(hide, -torch.finfo(a.dtype).max)
        a = torch.softmax(a, 2)
        y = einsum("bhij,bjhd->bihd", a, v)
        return self.o(y.reshape(b, n, c))
