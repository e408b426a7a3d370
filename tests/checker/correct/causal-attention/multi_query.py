# contract: causal-attention
import math
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """All heads share one key and one value projection."""

    def __init__(self, d_model, n_heads, max_len=256):
        super().__init__()
        self.n_heads = n_heads
        self.d = d_model // n_heads
        self.q = nn.Linear(d_model, d_model)
        self.kv = nn.Linear(d_model, 2 * self.d)
        self.o = nn.Linear(d_model, d_model)
        self.register_buffer("mask", torch.tril(torch.ones(max_len, max_len, dtype=torch.bool)))

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.n_heads, self.d)
        k, v = self.kv(x).split(self.d, dim=-1)
        s = torch.einsum("bihd,bjd->bhij", q, k) / math.sqrt(self.d)
        s = s.masked_fill(~self.mask[:n, :n], float("-inf"))
        return self.o(torch.einsum("bhij,bjd->bihd", s.softmax(-1), v).flatten(2))
