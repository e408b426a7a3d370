# contract: causal-attention
# cause: mask-ahead
import torch
from torch import nn


class MaskedSelfAttention(nn.Module):
    """Causal self-attention with plain weight matrices."""

    def __init__(self, dim, heads, max_len=128):
        super().__init__()
        self.h = heads
        s = dim**-0.5
        self.wq = nn.Parameter(torch.randn(dim, dim) * s)
        self.wk = nn.Parameter(torch.randn(dim, dim) * s)
        self.wv = nn.Parameter(torch.randn(dim, dim) * s)
        self.wo = nn.Parameter(torch.randn(dim, dim) * s)
        visible = torch.tril(torch.ones(max_len, max_len), diagonal=1).bool()
        self.register_buffer("visible", visible)

    def forward(self, x):
        b, t, c = x.shape
        q = (x @ self.wq).view(b, t, self.h, -1)
        k = (x @ self.wk).view(b, t, self.h, -1)
        v = (x @ self.wv).view(b, t, self.h, -1)
        s = torch.einsum("bihd,bjhd->bhij", q, k) / q.size(-1) ** 0.5
        s = s.masked_fill(~self.visible[:t, :t], float("-inf"))
        y = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)
        return y.reshape(b, t, c) @ self.wo
