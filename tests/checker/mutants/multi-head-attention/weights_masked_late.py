# contract: multi-head-attention
# cause: mask-after-softmax
import torch
import torch.nn as nn
import torch.nn.functional as F


class CrossAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.wo = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            f(t).unflatten(-1, (self.h, -1)) for f, t in ((self.wq, query), (self.wk, key), (self.wv, value))
        )
        a = F.softmax(torch.einsum("bnhd,bmhd->bhnm", q, k) / q.size(-1) ** 0.5, dim=-1)
        if mask is not None:
            keep = mask[:, None, None] if mask.ndim == 2 else mask
            a = a.masked_fill(~keep, 0.0)
        return self.wo(torch.einsum("bhnm,bmhd->bnhd", a, v).flatten(2)), a
