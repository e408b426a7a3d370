# contract: multi-head-attention
import math

import torch
from torch import nn


def spread_heads(t: torch.Tensor, times: int) -> torch.Tensor:
    b, heads, n, d = t.shape
    return t[:, :, None].expand(b, heads, times, n, d).reshape(b, heads * times, n, d)


class GroupedQueryAttention(nn.Module):
    def __init__(self, *, d_model: int, num_heads: int, num_kv_heads: int | None = None, dropout: float = 0.0):
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        assert num_heads % num_kv_heads == 0
        self.times, self.d = num_heads // num_kv_heads, d_model // num_heads
        self.wq = nn.Linear(d_model, num_heads * self.d)
        self.wk = nn.Linear(d_model, num_kv_heads * self.d)
        self.wv = nn.Linear(d_model, num_kv_heads * self.d)
        self.wo = nn.Linear(num_heads * self.d, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            layer(t).unflatten(-1, (-1, self.d)).transpose(1, 2)
            for layer, t in ((self.wq, query), (self.wk, key), (self.wv, value))
        )
        k, v = spread_heads(k, self.times), spread_heads(v, self.times)
        scores = q @ k.mT / math.sqrt(self.d)
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None, :].logical_not(), float("-inf"))
        return self.wo((self.drop(scores.softmax(-1)) @ v).transpose(1, 2).flatten(2))
