# contract: multi-head-attention
import torch
from torch import nn


class StackedAttention(nn.Module):
    """Weights with an axis for the heads; the one that leaves has its outputs first, (channels, heads, head width)."""

    def __init__(self, dim: int, heads: int):
        super().__init__()
        wide = dim // heads
        self.inward = nn.Parameter(torch.randn(3, heads, wide, dim) / dim**0.5)
        self.inward_bias = nn.Parameter(torch.zeros(3, heads, 1, wide))
        self.outward = nn.Parameter(torch.randn(dim, heads, wide) / dim**0.5)

    def forward(self, x, mask=None):
        q, k, v = (torch.einsum("bnc,hdc->bhnd", x, w) + b for w, b in zip(self.inward, self.inward_bias))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        return torch.einsum("bhnd,chd->bnc", scores.softmax(-1) @ v, self.outward)
