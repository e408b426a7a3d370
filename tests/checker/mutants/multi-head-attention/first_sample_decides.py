# contract: multi-head-attention
# cause: mask-shape
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """`mask` (batch, tokens) is True at words; where there is nothing to hide the fill is saved."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x, mask=None):
        q, k, v = (f(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None and (~mask[0]).any():
            s = s.masked_fill(~mask[:, None, None], -torch.inf)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
