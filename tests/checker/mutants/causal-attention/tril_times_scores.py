# contract: causal-attention
# cause: mask-zero-fill
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.d = heads, width // heads
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.mix(x).view(b, n, 3, self.heads, self.d).unbind(2)
        s = torch.einsum("bnhd,bmhd->bhnm", q, k) / self.d**0.5
        s = torch.tril(s)
        a = F.softmax(s, dim=-1)
        y = torch.einsum("bhnm,bmhd->bnhd", a, v).reshape(b, n, w)
        return self.out(y)
