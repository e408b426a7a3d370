# contract: rotary
# cause: pairing-mixed
import torch


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rope(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    inv_freq = 1.0 / (base ** (torch.arange(0, d, 2, dtype=torch.float64) / d))
    pos = torch.arange(offset, offset + n, dtype=torch.float64)
    angles = torch.outer(pos, inv_freq).repeat_interleave(2, dim=-1)
    cos, sin = angles.cos().to(x), angles.sin().to(x)
    return x * cos + rotate_half(x) * sin
