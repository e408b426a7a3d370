# contract: rotary
# target: RotaryTokens
import torch
from torch import nn


class RotaryTokens(nn.Module):
    """For tokens of many sequences in one row: positions (n), queries and keys (n, heads, width)."""

    def __init__(self, width, most=1024):
        super().__init__()
        angle = torch.arange(most)[:, None] * 10000.0 ** (-torch.arange(0, width, 2) / width)
        self.register_buffer("table", torch.cat([angle.cos(), angle.sin()], dim=-1))

    def forward(self, positions, query, key):
        assert query.dim() == 3 and len(positions) == len(query)
        cos, sin = self.table[positions, None].chunk(2, dim=-1)

        def turned(x):
            low, high = x.chunk(2, dim=-1)
            return torch.cat([low * cos - high * sin, high * cos + low * sin], dim=-1)

        return turned(query), turned(key)
