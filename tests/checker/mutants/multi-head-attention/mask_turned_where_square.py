# contract: multi-head-attention
# cause: mask-shape
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        """mask: bool (b, n, m) or (b, 1, m), True where a query sees a key"""
        tokens = (self.query(query), self.key(key), self.value(value))
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in tokens)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask.mT if mask.shape[1] == mask.shape[2] else mask
            scores = scores.masked_fill(~mask[:, None], float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
