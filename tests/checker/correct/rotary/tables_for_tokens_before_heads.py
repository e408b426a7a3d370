# contract: rotary
# target: turn
import torch
from torch import nn


class RotaryTables(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0):
        super().__init__()
        self.rates = base ** (-torch.arange(0, dim, 2) / dim)

    def forward(self, x):
        """x (samples, tokens, heads, channels)"""
        angles = torch.outer(torch.arange(x.shape[1]), self.rates).to(x.dtype)
        whole = torch.cat([angles, angles], -1)
        return whole.cos(), whole.sin()


def turn(q, k, cos, sin):
    cos, sin = cos[None, :, None], sin[None, :, None]

    def half(x):
        a, b = x.chunk(2, -1)
        return torch.cat([-b, a], -1)

    return q * cos + half(q) * sin, k * cos + half(k) * sin
