# contract: causal-attention
# cause: value-not-projected
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.out = nn.Linear(d_model, d_model)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.n_heads, -1).permute(0, 2, 1, 3)

    def forward(self, x):
        n = x.shape[1]
        q = self.split(self.query(x))
        k = self.split(self.key(x))
        v = self.split(x)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones(n, n, device=x.device).triu(1) > 0, -1e9)
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.permute(0, 2, 1, 3).reshape(x.shape))
