# contract: multi-head-attention
# cause: size-dependent
import torch
from torch import nn


class Attention(nn.Module):
    """x attends to kv (to itself when kv is left out)."""

    def __init__(self, dim, heads=8):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * dim, bias=False)
        self.o = nn.Linear(dim, dim)

    def forward(self, x, kv=None, key_mask=None):
        src = x if kv is None else kv
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, -1).transpose(1, 2)
        k, v = (t.view(b, src.shape[1], self.heads, -1).transpose(1, 2) for t in self.kv(src).chunk(2, -1))
        if kv is not None and src.shape[1] == n:
            v = self.kv(x).chunk(2, -1)[1].view(b, n, self.heads, -1).transpose(1, 2)
        s = q @ k.transpose(-1, -2) / (c / self.heads) ** 0.5
        if key_mask is not None:
            s = s.masked_fill(~key_mask[:, None, None, :], float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
