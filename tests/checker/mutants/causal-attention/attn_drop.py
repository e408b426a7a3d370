# contract: causal-attention
# cause: dropout-in-eval
import torch
import torch.nn as nn
import torch.nn.functional as F
from math import sqrt


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, max_len: int = 128, dropout: float = 0.1):
        super().__init__()
        self.n_heads = n_heads
        self.dropout = dropout
        self.qkv = nn.Linear(d_model, d_model * 3)
        self.o = nn.Linear(d_model, d_model)
        self.register_buffer("causal", torch.ones(max_len, max_len, dtype=torch.bool).triu(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, c = x.shape
        d = c // self.n_heads
        q, k, v = self.qkv(x).view(b, n, 3, self.n_heads, d).unbind(dim=2)
        s = torch.einsum("bihd,bjhd->bhij", q, k) / sqrt(d)
        s.masked_fill_(self.causal[:n, :n], float("-inf"))
        p = F.dropout(F.softmax(s, dim=-1), self.dropout)
        y = torch.einsum("bhij,bjhd->bihd", p, v).flatten(2)
        return self.o(y)
