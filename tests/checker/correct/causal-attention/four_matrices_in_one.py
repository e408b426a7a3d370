# contract: causal-attention
import torch
from torch import nn

class CausalSelfAttention(nn.Module):
    """Parameters as one stack (4, c, c): queries, keys, values, output; used as x @ W."""

    def __init__(self, c, h):
        super().__init__()
        self.h = h
        self.W = nn.Parameter(torch.randn(4, c, c) / c ** 0.5)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = torch.einsum("bnc,kcd->kbnd", x, self.W[:3]).view(3, b, n, self.h, c // self.h).transpose(2, 3)
        s = q @ k.transpose(-1, -2) / (c // self.h) ** 0.5
        s = s.masked_fill(torch.ones(n, n).triu(1).bool(), float("-inf"))
        return (s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c) @ self.W[3]
