# contract: multi-head-attention
# cause: mask-inverted
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """mask is (b, m), True where a key may be seen."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q = self.query(query).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k = self.key(key).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        v = self.value(value).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None, :], torch.finfo(scores.dtype).min)
        weights = self.dropout(scores.softmax(-1))
        return self.out((weights @ v).transpose(1, 2).flatten(2))
