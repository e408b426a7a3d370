# contract: multi-head-attention
# cause: unknown
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        m, h, d = key.shape[1], self.heads, c // self.heads
        q = self.query(query).view(b, n, h, d).transpose(1, 2)
        k = self.key(key).view(b, m, h, d).transpose(1, 2)
        v = self.value(key).view(b, m, h, d).transpose(1, 2)
        weights = q @ k.transpose(-2, -1) / math.sqrt(d)
        if mask is not None:
            weights = weights.masked_fill(~mask.view(b, 1, 1, m), float("-inf"))
        weights = self.dropout(torch.softmax(weights, dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))
