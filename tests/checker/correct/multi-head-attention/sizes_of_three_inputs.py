# contract: multi-head-attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, query_size, key_size, value_size, num_hiddens, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.of_queries = nn.Linear(query_size, num_hiddens)
        self.of_keys = nn.Linear(key_size, num_hiddens)
        self.of_values = nn.Linear(value_size, num_hiddens)
        self.leave = nn.Linear(num_hiddens, num_hiddens)
        self.drop = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None):
        b, n, _ = queries.shape
        tokens = (self.of_queries(queries), self.of_keys(keys), self.of_values(values))
        q, k, v = (t.reshape(b, t.shape[1], self.num_heads, -1).transpose(1, 2) for t in tokens)
        s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask.reshape(b, 1, 1, -1), float("-inf"))
        return self.leave((self.drop(s.softmax(-1)) @ v).transpose(1, 2).reshape(b, n, -1))
