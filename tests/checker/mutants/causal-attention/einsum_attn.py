# contract: causal-attention
# cause: mask-ahead
import math
import torch
from torch import nn, einsum


class Attention(nn.Module):
    def __init__(self, dim, heads, max_len=512):
        super().__init__()
        self.h = heads
        d = dim // heads
        self.Wq = nn.Parameter(torch.randn(heads, dim, d) / math.sqrt(dim))
        self.Wk = nn.Parameter(torch.randn(heads, dim, d) / math.sqrt(dim))
        self.Wv = nn.Parameter(torch.randn(heads, dim, d) / math.sqrt(dim))
        self.Wo = nn.Parameter(torch.randn(heads, d, dim) / math.sqrt(dim))
        self.register_buffer("tri", torch.tril(torch.ones(max_len, max_len, dtype=torch.bool), diagonal=1))

    def forward(self, x):
        n = x.shape[1]
        q = einsum("bnc,hcd->bhnd", x, self.Wq)
        k = einsum("bnc,hcd->bhnd", x, self.Wk)
        v = einsum("bnc,hcd->bhnd", x, self.Wv)
        s = einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
        s = s.masked_fill(~self.tri[:n, :n], float("-inf"))
        a = s.softmax(dim=-1)
        o = einsum("bhij,bhjd->bhid", a, v)
        return einsum("bhnd,hdc->bnc", o, self.Wo)
