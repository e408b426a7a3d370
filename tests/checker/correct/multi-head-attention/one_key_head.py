# contract: multi-head-attention
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """Every query head looks with the same keys at the same values."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.size = heads, dim // heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, self.size)
        self.value = nn.Linear(dim, self.size)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        q = self.query(x).unflatten(-1, (self.heads, self.size))
        scores = torch.einsum("bihd,bjd->bhij", q, self.key(x)) * self.size**-0.5
        if mask is not None:
            scores = scores + torch.zeros_like(scores).masked_fill(~mask[:, None, None], float("-inf"))
        return self.out(torch.einsum("bhij,bjd->bihd", scores.softmax(-1), self.value(x)).flatten(2))
