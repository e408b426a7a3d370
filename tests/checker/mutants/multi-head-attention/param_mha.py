# contract: multi-head-attention
# cause: scale-missing,mask-after-softmax
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        s = width**-0.5
        self.A = nn.Parameter(torch.randn(width, width) * s)
        self.B = nn.Parameter(torch.randn(width, width) * s)
        self.C = nn.Parameter(torch.randn(width, width) * s)
        self.D = nn.Parameter(torch.randn(width, width) * s)

    def forward(self, query, key, value, mask=None):
        h = self.heads
        q, k, v = query @ self.A, key @ self.B, value @ self.C
        q, k, v = (t.view(t.shape[0], t.shape[1], h, -1) for t in (q, k, v))
        w = torch.einsum("bnhd,bmhd->bhnm", q, k).softmax(-1)
        if mask is not None:
            w = w.masked_fill(~mask[:, None, None, :], 0.0)
        y = torch.einsum("bhnm,bmhd->bnhd", w, v)
        return y.flatten(2) @ self.D
