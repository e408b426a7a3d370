# contract: multi-head-attention
import torch
from torch import nn


class MultiheadAttn(nn.Module):
    """Sequence first: (n, b, c)."""

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.inner = nn.MultiheadAttention(embed_dim, num_heads)

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]
