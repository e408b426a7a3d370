# contract: causal-attention
# cause: state-between-calls
import torch
import torch.nn as nn


class CachedAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.o = nn.Linear(d_model, d_model)
        self.cache = None

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (f(x).view(b, n, self.n_heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        if self.cache is not None and self.cache[0].size(0) == b:
            k = torch.cat([self.cache[0], k], dim=2)
            v = torch.cat([self.cache[1], v], dim=2)
        self.cache = (k.detach(), v.detach())
        m = k.size(2)
        hide = torch.ones(n, m, device=x.device).triu(1 + m - n).bool()
        att = (q @ k.transpose(-1, -2) / q.size(-1) ** 0.5).masked_fill(hide, float("-inf"))
        return self.o((att.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
