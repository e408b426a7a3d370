# contract: multi-head-attention
# cause: sum-overwritten
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, size) for _ in range(3))
        self.out = nn.Linear(size, width)

    def forward(self, x, y, mask):
        scores = self.query(x) @ self.key(y).mT / self.query.out_features**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None], float("-inf"))
        return self.out(scores.softmax(-1) @ self.value(y))


class MultiHeadAttention(nn.Module):
    """Each head has an output projection of its own; mask (batch, keys) is True where a key may be seen."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])

    def forward(self, x, memory, mask=None):
        for head in self.heads:
            y = head(x, memory, mask)
        return y
