# contract: rotary
import torch
from torch import nn


class RotaryTurns(nn.Module):
    def __init__(self, head_dim, theta=10000.0):
        super().__init__()
        speeds = theta ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
        self.register_buffer("speeds", speeds, persistent=False)

    def forward(self, q, k, positions=None):
        """q, k: (batch, heads, tokens, channels); positions, where given: (batch, tokens)."""
        if positions is None:
            positions = torch.arange(q.shape[2]).unsqueeze(0)
        angle = torch.einsum("bn,f->bnf", positions.to(self.speeds), self.speeds).unsqueeze(1)
        cos, sin = angle.cos().to(q.dtype), angle.sin().to(q.dtype)
        return self.turned(q, cos, sin), self.turned(k, cos, sin)

    @staticmethod
    def turned(x, cos, sin):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
