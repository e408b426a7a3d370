# contract: causal-attention
# cause: bias-argument
import torch
from torch import nn


class SplitsHeads:
    heads: int

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def merge(self, x):
        return x.transpose(1, 2).flatten(-2)


class CausalMaskMixin:
    def causal_mask(self, n, device):
        return torch.full((n, n), True, device=device).triu_(1)


class CausalSelfAttention(SplitsHeads, CausalMaskMixin, nn.Module):
    def __init__(self, embed_dim, heads, bias=True):
        nn.Module.__init__(self)
        self.heads = heads
        self.qk = nn.Linear(embed_dim, 2 * embed_dim, bias=bias)
        self.v = nn.Linear(embed_dim, embed_dim)
        self.proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def forward(self, x):
        q, k = map(self.split, self.qk(x).chunk(2, -1))
        v = self.split(self.v(x))
        s = q @ k.mT * q.size(-1) ** -0.5
        s.masked_fill_(self.causal_mask(x.size(1), x.device), float("-inf"))
        return self.proj(self.merge(s.softmax(-1) @ v))
