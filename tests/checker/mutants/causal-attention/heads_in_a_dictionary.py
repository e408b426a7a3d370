# contract: causal-attention
# cause: weights-unregistered
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.q = nn.Linear(dim, size, bias=False)
        self.k = nn.Linear(dim, size, bias=False)
        self.v = nn.Linear(dim, size, bias=False)

    def forward(self, x):
        s = self.q(x) @ self.k(x).transpose(1, 2) / self.q.out_features**0.5
        s = s.masked_fill(torch.ones_like(s[0]).triu(1).bool(), -torch.inf)
        return F.softmax(s, -1) @ self.v(x)


class CausalAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.heads = {i: Head(embed_dim, embed_dim // num_heads) for i in range(num_heads)}
        self.proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        return self.proj(torch.cat([head(x) for head in self.heads.values()], -1))
