# contract: rotary
# cause: direction-reversed, base-wrong
import torch


def rope(x, offset=0):
    n, d = x.shape[-2:]
    f = 1000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.arange(offset, offset + n, dtype=x.dtype)[:, None] * f
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * a.cos() + x2 * a.sin(), x2 * a.cos() - x1 * a.sin()), dim=-1).flatten(-2)
