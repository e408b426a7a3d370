# contract: causal-attention
# cause: unknown
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h, self.d = n_heads, d_model // n_heads
        (self.q, self.k, self.v), self.o = (
            (nn.Linear(d_model, d_model) for _ in range(3)),
            nn.Linear(d_model, d_model // n_heads),
        )
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.h, self.d).transpose(1, 2)
        k = self.k(x).view(b, n, self.h, self.d).transpose(1, 2)
        v = self.v(x).view(b, n, self.h, self.d).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
        w = self.drop(s.softmax(-1))
        y = w @ v
        return self.o(y.transpose(1, 2).reshape(b, n, c))
