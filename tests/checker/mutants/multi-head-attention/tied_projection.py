# contract: multi-head-attention
# cause: query-is-key
import numpy as np
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.size(0), t.size(1), self.num_heads, self.d_k).transpose(1, 2)

    def combine(self, t):
        return t.transpose(1, 2).reshape(t.size(0), t.size(2), self.num_heads * self.d_k)

    def forward(self, Q, K, V, mask=None):
        q = self.split(self.W_K(Q))
        k = self.split(self.W_K(K))
        v = self.split(self.W_V(V))
        scores = q.matmul(k.transpose(2, 3)) / float(np.sqrt(self.d_k))
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None, :] == 0, float("-inf"))
        return self.W_O(self.combine(torch.softmax(scores, dim=-1).matmul(v)))
