# contract: causal-attention
# cause: unknown
# target: Attn
import torch
from torch import nn


class Attn(nn.Module):
    """decoder self-attention (causal)"""

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.h = n_heads
        self.q, self.k, self.v, self.o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x):
        b, t, c = x.shape
        sp = lambda z: z.reshape(b, t, self.h, -1).permute(0, 2, 1, 3)
        q, k, v = sp(self.q(x)), sp(self.k(x)), sp(self.v(x))
        pad = (x.abs().sum(-1) == 0)[:, None, None, :]
        s = q @ k.transpose(-1, -2) / (c // self.h) ** 0.5
        s = s.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool), 1) | pad, -1e4)
        return self.o((s.softmax(-1) @ v).permute(0, 2, 1, 3).reshape(b, t, c))
