# contract: rotary
# convention: interleaved
import torch


def rope(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    f = base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.arange(offset, offset + n, dtype=x.dtype)[:, None] * f
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()), dim=-1).flatten(-2)
