# contract: multi-head-attention
import torch
from torch import nn, einsum


class MultiHeadSelfAttention(nn.Module):
    """mask: (batch, tokens), True for the tokens that exist."""

    def __init__(self, dim, heads=8, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, _ = x.shape
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1))
        dots = einsum("bhid,bhjd->bhij", q, k) * self.scale
        if mask is not None:
            dots = dots.masked_fill(~mask[:, None, None, :], -torch.finfo(dots.dtype).max)
        out = einsum("bhij,bhjd->bhid", self.dropout(dots.softmax(dim=-1)), v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, -1))
