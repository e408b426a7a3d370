# contract: multi-head-attention
# cause: mask-transposed
import torch
import torch.nn as nn


class MHSA(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = (f(x).view(b, n, self.num_heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            mask = mask[:, None, :, None] if mask.dim() == 2 else mask.transpose(-2, -1)
            s = s.masked_fill(~mask, -1e9)
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
