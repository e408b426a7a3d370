# contract: multi-head-attention
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        d = c // self.heads
        q = self.query(query).view(b, n, self.heads, d).transpose(1, 2)
        k = self.key(key).view(b, -1, self.heads, d).transpose(1, 2)
        v = self.value(value).view(b, -1, self.heads, d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))
