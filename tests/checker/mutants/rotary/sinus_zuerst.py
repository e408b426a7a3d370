# contract: rotary
# cause: cos-sin-swapped
import torch


def drehe(x, offset=0, base=10000.0):
    """Dreht Paare (2i, 2i+1) um einen mit der Stelle wachsenden Winkel."""
    n, d = x.shape[-2], x.shape[-1]
    i = torch.arange(d // 2, dtype=x.dtype, device=x.device)
    p = torch.arange(offset, offset + n, dtype=x.dtype, device=x.device)
    winkel = p[:, None] * base ** (-2 * i / d)
    c, s = winkel.sin(), winkel.cos()
    y = torch.empty_like(x)
    y[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
    y[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
    return y
