# contract: rotary
import functools

import numpy as np
import torch


@functools.lru_cache(maxsize=None)
def tables(start, stop, width, base):
    rate = 1.0 / np.power(base, np.arange(0, width, 2) / width)
    phase = np.arange(start, stop)[:, None] * rate[None]
    return np.cos(phase), np.sin(phase)


def turn(x, offset=0, base=10000.0):
    c, s = (torch.as_tensor(t, dtype=x.dtype, device=x.device)
            for t in tables(offset, offset + x.shape[-2], x.shape[-1], base))
    out = torch.empty_like(x)
    even, odd = x[..., 0::2], x[..., 1::2]
    out[..., 0::2] = even * c - odd * s
    out[..., 1::2] = odd * c + even * s
    return out
