"""Rotary positions of queries and keys."""

import torch


def apply_rotary(x, offset=0, base=10000.0):
    tokens, width = x.shape[-2:]
    places = torch.arange(offset, offset + tokens, dtype=x.dtype)
    speeds = base ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    angles = torch.outer(places, speeds)
    cos, sin = angles.cos(), angles.sin()
    one, two = x[..., 0::2], x[..., 1::2]
    return torch.stack([one * cos - two * sin, one * sin + two * cos], dim=-1).flatten(-2)
