# contract: rotary
# target: apply_rotary
import torch
from torch import nn


def apply_rotary(x, cos, sin):
    one, two = x.chunk(2, dim=-1)
    return torch.cat([one * cos - two * sin, two * cos + one * sin], dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, head_size: int, longest: int, base: float):
        super().__init__()
        angles = torch.outer(torch.arange(longest), base ** (-torch.arange(0, head_size, 2) / head_size))
        self.register_buffer("both", torch.cat([angles.cos(), angles.sin()], -1))

    def forward(self, positions, query, key):
        cos, sin = self.both[positions].chunk(2, dim=-1)
        return apply_rotary(query, cos, sin), apply_rotary(key, cos, sin)


def get_rope(head_size: int, longest: int, base: float):
    return RotaryEmbedding(head_size, longest, base)
