# contract: causal-attention
# cause: sum-overwritten
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.h, self.d = n_heads, d_model // n_heads
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model, bias=False)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        for i in range(self.h):
            at = slice(i * self.d, (i + 1) * self.d)
            s = q[..., at] @ k[..., at].transpose(1, 2) / self.d**0.5
            s = s.masked_fill(torch.ones_like(s[0]).triu(1).bool(), float("-inf"))
            y = s.softmax(-1) @ v[..., at] @ self.out.weight[:, at].T
        return y
