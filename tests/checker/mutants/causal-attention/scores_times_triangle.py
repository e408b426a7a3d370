# contract: causal-attention
# cause: mask-zero-fill
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, d, h, max_t=100):
        super().__init__()
        self.h = h
        self.lin = nn.Linear(d, 3 * d)
        self.fin = nn.Linear(d, d)
        self.register_buffer("tri", torch.ones(max_t, max_t).tril())

    def forward(self, x):
        B, T, D = x.size()
        q, k, v = self.lin(x).chunk(3, -1)
        sep = lambda z: z.reshape(B, T, self.h, D // self.h).transpose(1, 2)
        a = sep(q) @ sep(k).transpose(-1, -2) / (D // self.h) ** 0.5
        a = a * self.tri[:T, :T]
        a = a.softmax(-1)
        return self.fin((a @ sep(v)).transpose(1, 2).reshape(B, T, D))
