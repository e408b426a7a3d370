# contract: multi-head-attention
# cause: mask-batch-order
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def fold(self, t):
        b, n, _ = t.shape
        return (
            t.view(b, n, self.n_heads, self.d_head).transpose(1, 2).reshape(b * self.n_heads, n, self.d_head)
        )

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        q, k, v = self.fold(self.q_proj(query)), self.fold(self.k_proj(key)), self.fold(self.v_proj(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.d_head)
        if mask is not None:
            mask = mask.repeat(self.n_heads, 1).unsqueeze(1)
            scores = scores.masked_fill(~mask, float("-inf"))
        y = torch.bmm(self.drop(scores.softmax(dim=-1)), v)
        y = y.view(b, self.n_heads, n, self.d_head).transpose(1, 2).reshape(b, n, c)
        return self.out_proj(y)
