# contract: rotary
# cause: offset-ignored
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / (base ** (torch.arange(0, dim, 2).double() / dim)))
        self.cached_len = None
        self.cached = None

    def tables(self, n):
        if self.cached_len != n:
            f = torch.outer(torch.arange(n, device=self.inv_freq.device).double(), self.inv_freq.double())
            f = torch.cat((f, f), dim=-1)
            self.cached, self.cached_len = (f.cos(), f.sin()), n
        return self.cached

    def forward(self, x, offset=0):
        cos, sin = self.tables(x.shape[-2])
        half = x.shape[-1] // 2
        turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
        return x * cos.to(x.dtype) + turned * sin.to(x.dtype)
