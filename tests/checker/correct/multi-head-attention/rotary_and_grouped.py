# contract: multi-head-attention
import torch
from torch import nn


def turn(x, freqs_cis):
    """Pairs of channels as complex numbers, each turned by its angle: rotary positions."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * freqs_cis.to(pairs.dtype)).flatten(-2)


def precompute_freqs_cis(dim, end, theta=10000.0):
    angles = torch.outer(torch.arange(end).double(), theta ** -(torch.arange(0, dim, 2).double() / dim))
    return torch.polar(torch.ones_like(angles), angles)


class Attention(nn.Module):
    """The mask is added to the scores."""

    def __init__(self, dim: int, n_heads: int, n_kv_heads: int):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)

    def forward(self, x, freqs_cis, mask):
        b, n, _ = x.shape
        q = turn(self.wq(x).view(b, n, self.n_heads, -1).transpose(1, 2), freqs_cis)
        k = turn(self.wk(x).view(b, n, self.n_kv_heads, -1).transpose(1, 2), freqs_cis)
        v = self.wv(x).view(b, n, self.n_kv_heads, -1).transpose(1, 2)
        k, v = (t.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1) for t in (k, v))
        scores = q @ k.transpose(2, 3) / self.head_dim**0.5
        if mask is not None:
            scores = scores + mask
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))
