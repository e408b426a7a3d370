# contract: multi-head-attention
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    """All weights are (out, in)."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        make = lambda: nn.Parameter(torch.randn(dim, dim) / dim ** 0.5)
        self.A, self.B, self.C, self.D = make(), make(), make(), make()

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnc,dc->bnd", query, self.A)
        k = torch.einsum("bnc,dc->bnd", key, self.B)
        v = torch.einsum("bnc,dc->bnd", value, self.C)
        b, n, c = q.shape
        q, k, v = (t.view(b, -1, self.heads, c // self.heads) for t in (q, k, v))
        s = torch.einsum("bnhd,bmhd->bhnm", q, k) / (c // self.heads) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask[:, None, None], -torch.inf)
        y = torch.einsum("bhnm,bmhd->bnhd", s.softmax(-1), v).reshape(b, n, c)
        return torch.einsum("bnc,dc->bnd", y, self.D)
