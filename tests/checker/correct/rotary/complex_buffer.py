# contract: rotary
import torch
from torch import nn


class RotaryTable(nn.Module):
    """Turns (batch, tokens, heads, channels) by a table of complex numbers that is kept as a buffer."""

    def __init__(self, width, longest=256, base=10000.0):
        super().__init__()
        speed = base ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        angle = torch.outer(torch.arange(longest, dtype=torch.float64), speed)
        self.register_buffer("turn", torch.polar(torch.ones_like(angle), angle), persistent=False)

    def forward(self, x, offset=0):
        pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).to(torch.float64).contiguous())
        turned = pairs * self.turn[offset : offset + x.shape[1], None, :]
        return torch.view_as_real(turned).flatten(-2).to(x.dtype)
