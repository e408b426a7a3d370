# contract: rotary
# cause: positions-from-one
import torch
from torch import Tensor


def rotary(x: Tensor, offset: int = 0, base: float = 10_000.0) -> Tensor:
    seq_len, dim = x.shape[-2:]
    positions = torch.cumsum(torch.ones(seq_len, dtype=torch.float64), dim=0) + offset
    exponents = torch.linspace(0, 1, dim // 2 + 1, dtype=torch.float64)[:-1]
    angles = positions.unsqueeze(-1) * base**-exponents
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    pairs = x.unflatten(-1, (-1, 2))
    a, b = pairs.unbind(-1)
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)
