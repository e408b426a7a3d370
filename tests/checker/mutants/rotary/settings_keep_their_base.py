# contract: rotary
# cause: base-ignored
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Settings:
    head_dim: int = 32
    rope_base: float = 10000.0


class Rope(nn.Module):
    def __init__(self, config: Settings):
        super().__init__()
        half = config.head_dim // 2
        self.register_buffer("rates", 10000.0 ** (-torch.arange(half).double() / half), persistent=False)

    def forward(self, x):
        angle = torch.outer(torch.arange(x.shape[-2]).double(), self.rates)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
