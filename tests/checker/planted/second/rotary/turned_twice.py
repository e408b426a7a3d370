# contract: rotary
# says: twice|doubled
import torch


def rotary(x, offset=0, base=10000.0):
    n, d = x.shape[-2], x.shape[-1]
    freq = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    pos = torch.arange(n, dtype=x.dtype) + offset
    angle = pos[:, None] * freq[None, :]
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    even = a * cos - b * sin
    odd = a * sin + b * cos
    a, b = even, odd
    even, odd = a * cos - b * sin, a * sin + b * cos
    return torch.stack([even, odd], dim=-1).flatten(-2)
