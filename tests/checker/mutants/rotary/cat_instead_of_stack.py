# contract: rotary
# cause: not-reinterleaved
import torch


def rope(x, offset=0):
    n, d = x.shape[-2:]
    f = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.arange(offset, offset + n, dtype=x.dtype)[:, None] * f
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.cat([even * a.cos() - odd * a.sin(), even * a.sin() + odd * a.cos()], dim=-1)
