# contract: causal-attention
# cause: dropout-elsewhere
# target: Attn
import torch
from torch import nn


class Attn(nn.Module):
    """decoder self-attention (causal) with dropout written by hand"""

    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.h, self.d, self.p = n_heads, d_model // n_heads, dropout
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.o = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.h, self.d).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        s = (q @ k.transpose(-1, -2)) / self.d**0.5
        w = s.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf")).softmax(-1)
        if self.training:
            w = w * (torch.rand_like(w) > self.p)
        return self.o((w @ v).transpose(1, 2).reshape(b, t, c))
