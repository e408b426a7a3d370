# contract: causal-attention
# cause: state-between-calls
import math
import torch
from torch import nn


class StreamingAttention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.hd = dim // n_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.cache = None

    def forward(self, x):
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        k = self.wk(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        v = self.wv(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        if not self.training:
            if self.cache is not None and self.cache[0].size(0) == b:
                k = torch.cat([self.cache[0], k], dim=2)
                v = torch.cat([self.cache[1], v], dim=2)
            self.cache = (k.detach(), v.detach())
        past = k.size(2) - t
        rows = torch.arange(t, device=x.device)[:, None] + past
        cols = torch.arange(k.size(2), device=x.device)[None, :]
        s = q @ k.transpose(-1, -2) / math.sqrt(self.hd)
        s = s.masked_fill(cols > rows, float("-inf"))
        y = s.softmax(-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, c))
