# contract: rotary
import torch
import torch.nn as nn


class RotaryPositions(nn.Module):
    """The table grows when a later position is asked for."""

    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.dim, self.base = dim, base
        self.table = torch.zeros(0, dim // 2, dtype=torch.float64)

    def _grow(self, length):
        if length > len(self.table):
            theta = self.base ** (-torch.arange(0, self.dim, 2, dtype=torch.float64) / self.dim)
            self.table = torch.arange(2 * length, dtype=torch.float64)[:, None] * theta

    def forward(self, x, offset=0):
        stop = offset + x.shape[-2]
        self._grow(stop)
        angle = self.table[offset:stop].to(x)
        a, b = x[..., 0::2], x[..., 1::2]
        y = torch.zeros_like(x)
        y[..., 0::2] = a * angle.cos() - b * angle.sin()
        y[..., 1::2] = b * angle.cos() + a * angle.sin()
        return y
