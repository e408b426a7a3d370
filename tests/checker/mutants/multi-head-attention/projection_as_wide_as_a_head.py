# contract: multi-head-attention
# cause: projection-shared-by-heads
# target: Attention
import torch
from torch import nn


class Attention(nn.Module):
    """Attention of a whole sequence; every head gets its slice of the channels first."""

    def __init__(self, dim: int, num_heads: int):
        super().__init__()
        self.num_heads, self.side = num_heads, dim // num_heads
        self.query = nn.Linear(self.side, self.side)
        self.key = nn.Linear(self.side, self.side)
        self.value = nn.Linear(self.side, self.side)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        slices = x.unflatten(-1, (self.num_heads, self.side)).transpose(1, 2)
        q, k, v = self.query(slices), self.key(slices), self.value(slices)
        weights = (q @ k.mT * self.side**-0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))
