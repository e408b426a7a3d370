# contract: causal-attention
# cause: scale-missing,out-projection-missing
import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, length: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, n, c = x.shape
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        w = q @ k.transpose(-2, -1)
        w = w.masked_fill(self.mask[:n, :n] == 0, float("-inf"))
        w = self.dropout(F.softmax(w, dim=-1))
        y = (w @ v).transpose(1, 2).reshape(b, n, c)
        return y
