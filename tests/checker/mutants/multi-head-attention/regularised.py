# contract: multi-head-attention
# cause: dropout-in-eval
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.2):
        super().__init__()
        self.num_heads = num_heads
        self.p = dropout
        self.projections = nn.ModuleDict({name: nn.Linear(d_model, d_model) for name in ("q", "k", "v", "o")})

    def forward(self, query, key, value, mask=None):
        B, N, C = query.shape
        d = C // self.num_heads
        q = self.projections["q"](query).view(B, N, self.num_heads, d).permute(0, 2, 1, 3)
        k = self.projections["k"](key).view(B, key.shape[1], self.num_heads, d).permute(0, 2, 3, 1)
        v = self.projections["v"](value).view(B, value.shape[1], self.num_heads, d).permute(0, 2, 1, 3)
        scores = (q @ k) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(~mask.reshape(B, 1, 1, -1), -1e9)
        weights = nn.Dropout(self.p)(torch.softmax(scores, dim=-1))
        return self.projections["o"]((weights @ v).permute(0, 2, 1, 3).reshape(B, N, C))
