# contract: rotary
# target: RotaryAngles
import torch
from torch import nn


class RotaryAngles(nn.Module):
    """Its call gives cosines and sines for an input; a method of its own turns by them."""

    def __init__(self, dim, longest):
        super().__init__()
        self.register_buffer("speed", 10000.0 ** (-torch.arange(0, dim, 2) / dim))

    def forward(self, x):
        _, _, count, _ = x.shape
        angle = torch.arange(count, dtype=self.speed.dtype).outer(self.speed).repeat(1, 2)
        return angle.cos()[None, None], angle.sin()[None, None]

    def rotate(self, x, cos, sin):
        left, right = x.tensor_split(2, dim=-1)
        return x * cos + torch.cat([-right, left], dim=-1) * sin
