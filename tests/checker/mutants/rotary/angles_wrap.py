# contract: rotary
# cause: size-dependent
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def apply_rope(x, base=10000.0):
    """x is (b, h, n, d), pairs of neighbours."""
    n, d = x.shape[-2:]
    position = torch.arange(n, dtype=x.dtype) % 64
    angle = position[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
