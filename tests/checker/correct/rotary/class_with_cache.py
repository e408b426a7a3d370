# contract: rotary
# convention: half-split
import torch
import torch.nn as nn


class RoPE(nn.Module):
    def __init__(self, dim, base=10000, max_len=64):
        super().__init__()
        theta = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        ang = torch.outer(torch.arange(max_len, dtype=torch.float64), theta)
        self.theta = theta
        self.register_buffer("cos", ang.cos())
        self.register_buffer("sin", ang.sin())

    def forward(self, x, offset=0):
        n = x.shape[-2]
        if offset + n > self.cos.shape[0]:
            ang = torch.outer(torch.arange(2 * (offset + n), dtype=torch.float64), self.theta)
            self.cos, self.sin = ang.cos(), ang.sin()
        c = self.cos[offset : offset + n].to(x.dtype)
        s = self.sin[offset : offset + n].to(x.dtype)
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)
