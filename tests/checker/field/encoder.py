"""An encoder's attention with a mask of what may be seen."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        samples, tokens, width = x.shape
        return x.view(samples, tokens, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        """mask: True where a key may be seen."""
        q, k, v = self.split(self.query(query)), self.split(self.key(key)), self.split(self.value(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        y = self.drop(weights) @ v
        return self.out(y.transpose(1, 2).flatten(2))
