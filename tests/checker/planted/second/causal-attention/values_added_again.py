# contract: causal-attention
# says: values & (added|add)
import math

import torch
from torch import nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, length=512):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)))

    def forward(self, x):
        b, n, c = x.shape
        d = c // self.heads
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, n, self.heads, d).transpose(1, 2)
        k = k.view(b, n, self.heads, d).transpose(1, 2)
        v = v.view(b, n, self.heads, d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(d)
        scores = scores.masked_fill(self.mask[:n, :n] == 0, float("-inf"))
        weights = scores.softmax(dim=-1)
        y = weights @ v + v
        y = y.transpose(1, 2).reshape(b, n, c)
        return self.proj(y)
