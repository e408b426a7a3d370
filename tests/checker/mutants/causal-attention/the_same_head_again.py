# contract: causal-attention
# cause: weights-shared
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(dim, size, bias=False) for _ in range(3))

    def forward(self, x):
        s = self.query(x) @ self.key(x).transpose(-2, -1) * self.key.out_features**-0.5
        return s.masked_fill(torch.ones_like(s[0]).triu(1).bool(), -torch.inf).softmax(-1) @ self.value(x)


class CausalAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.heads = nn.ModuleList([Head(embed_dim, embed_dim // num_heads)] * num_heads)
        self.proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        return self.proj(torch.cat([head(x) for head in self.heads], -1))
