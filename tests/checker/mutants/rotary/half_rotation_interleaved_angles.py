# contract: rotary
# cause: pairing-mixed
import torch


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


def apply_rope(x, offset=0):
    n, d = x.shape[-2:]
    freqs = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    angles = (torch.arange(n, dtype=x.dtype) + offset)[:, None] * freqs
    angles = angles.repeat_interleave(2, dim=-1)
    return x * angles.cos() + rotate_half(x) * angles.sin()
