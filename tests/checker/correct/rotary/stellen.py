# contract: rotary
import torch


def rope_drehen(x, stellen):
    """x (b, h, n, d); stellen (n,): an welcher Stelle jedes Token steht."""
    d = x.shape[-1]
    w = stellen.to(x.dtype)[:, None] * 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * w.cos() - b * w.sin(), a * w.sin() + b * w.cos()], -1).flatten(-2)
