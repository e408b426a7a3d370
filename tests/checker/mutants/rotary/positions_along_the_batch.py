# contract: rotary
# cause: unknown
import torch
import torch.nn as nn


class RotaryPositionEncoding(nn.Module):
    """fp32 upcast; sequence first: (seq, batch, heads, dim)."""

    def __init__(self, dim: int, theta: float = 10_000.0):
        super().__init__()
        self.dim = dim
        self.theta = theta

    def forward(self, x):
        seq = x.shape[0]
        freqs = torch.pow(self.theta, -torch.arange(0, self.dim, 2, dtype=torch.float64) / self.dim)
        t = torch.arange(x.shape[1], dtype=torch.float64)
        f = torch.outer(t, freqs)[None, :, None, :]
        xf = x.to(torch.float64)
        a, b = xf[..., 0::2], xf[..., 1::2]
        y = torch.stack((a * f.cos() - b * f.sin(), b * f.cos() + a * f.sin()), -1)
        return y.flatten(-2).to(x.dtype)
