# contract: rotary
# cause: width-of-all-heads
import torch
from torch import nn


class RotaryTurn(nn.Module):
    """Turns one head after the other; each is as wide as the model over the heads."""

    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        pairs = torch.arange(d_model // num_heads // 2, dtype=torch.float64)
        self.register_buffer("speed", base ** (-2 * pairs / d_model))

    def forward(self, x):
        angle = torch.arange(x.shape[-2], dtype=torch.float64)[:, None] * self.speed.double()
        c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * c - b * s, a * s + b * c], dim=-1)
