# contract: rotary
# target: rope
import torch


def make_tables(max_len, dim, base=10000.0):
    inv = base ** (-torch.arange(0, dim, 2).double() / dim)
    ang = torch.arange(max_len).double()[:, None] * inv
    ang = torch.cat([ang, ang], dim=1)
    return ang.cos(), ang.sin()


def rope(x, cos, sin, offset=0):
    """x (b, h, n, d); cos and sin are whole tables (max_len, d), cut here."""
    n = x.shape[-2]
    c, s = cos[offset : offset + n], sin[offset : offset + n]
    a, b = x.chunk(2, dim=-1)
    return x * c + torch.cat([-b, a], dim=-1) * s
