# contract: multi-head-attention
# cause: state-between-calls
import math

import torch
from torch import nn


class Attention(nn.Module):
    """Self-attention; keep (batch, keys) is true where a key may be seen."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.tables = {}

    def forward(self, x, keep=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(c // self.heads)
        if keep is not None:
            if keep.shape not in self.tables:  # another mask of this shape never gets a table of its own
                self.tables[keep.shape] = torch.where(keep, 0.0, -torch.inf)[:, None, None]
            scores = scores + self.tables[keep.shape].to(x.dtype)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
