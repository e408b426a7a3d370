# contract: rotary
# cause: axis-wrong
"""Rotary positions of queries and keys, which are (batch, heads, tokens, width)."""
import torch


def rotary_turn(q, base=10000.0):
    d = q.size(-1)
    speed = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    angle = torch.arange(q.size(1), dtype=torch.float64)[:, None] * speed
    c, s = angle.cos()[:, None].to(q.dtype), angle.sin()[:, None].to(q.dtype)
    a, b = q.chunk(2, dim=-1)
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)
