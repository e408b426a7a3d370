# contract: rotary
# cause: base-wrong
import torch
import torch.nn as nn


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        n = x.size(-2)
        f = 1000.0 ** (-torch.arange(0, self.dim, 2, device=x.device, dtype=x.dtype) / self.dim)
        a = torch.arange(n, device=x.device, dtype=x.dtype)[:, None] * f[None]
        c, s = torch.cos(a), torch.sin(a)
        even, odd = x[..., ::2], x[..., 1::2]
        out = torch.empty_like(x)
        out[..., ::2] = even * c - odd * s
        out[..., 1::2] = even * s + odd * c
        return out
