# contract: rotary
# target: RotaryBlock
import torch
from torch import nn


class RotaryBlock(nn.Module):
    """For sequences of just the length that it was made for, on a GPU unless told otherwise."""

    def __init__(self, head_dim, block_size, device="cuda"):
        super().__init__()
        speed = 10000.0 ** (-torch.arange(0, head_dim, 2, device=device) / head_dim)
        angle = torch.arange(block_size, device=device)[:, None] * speed
        self.register_buffer("turn", torch.polar(torch.ones_like(angle), angle))

    def forward(self, x):
        pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * self.turn).flatten(-2).type_as(x)
