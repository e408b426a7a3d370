# contract: multi-head-attention
# cause: mask-ignored, softmax-queries
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, query, key, value, mask=None):
        q, k, v = [
            f(t).unflatten(-1, (self.heads, -1))
            for f, t in ((self.query, query), (self.key, key), (self.value, value))
        ]
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / q.size(-1) ** 0.5
        weights = scores.softmax(2)
        return self.out(torch.einsum("bhij,bjhd->bihd", weights, v).flatten(2))
