# contract: rotary
import torch


def make_tables(x, length=None):
    """The sines and cosines of every position, each (n, d / 2)."""
    d = x.shape[-1]
    speed = 1.0 / 10000 ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    angle = torch.outer(torch.arange(length or x.shape[1], dtype=torch.float64), speed)
    return angle.sin(), angle.cos()


def apply_rotary(x, sincos, start=0):
    """x (b, n, h, d) with both tables in one argument."""
    n = x.shape[1]
    sin, cos = (t[None, start : start + n, None].repeat_interleave(2, -1).to(x.dtype) for t in sincos)
    swapped = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * cos + swapped * sin
