# contract: rotary
# cause: base-ignored
import torch
import torch.nn as nn


class RoPE(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.base = base
        self.register_buffer("inv", 10000.0 ** (-torch.arange(0, dim, 2).double() / dim), persistent=False)

    def forward(self, x, offset=0):
        a = torch.arange(offset, offset + x.shape[-2], device=x.device).double()[:, None] * self.inv
        c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
        u, w = x.chunk(2, dim=-1)
        return torch.cat((u * c - w * s, w * c + u * s), dim=-1)
