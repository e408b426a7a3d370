# contract: rotary
# cause: pairing-mixed
import torch


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotary(x, offset=0, base=10000.0):
    d = x.size(-1)
    freqs = base ** (-torch.arange(0, d, 2, device=x.device).to(x.dtype) / d)
    pos = torch.arange(offset, offset + x.size(-2), device=x.device).to(x.dtype)
    angles = torch.repeat_interleave(pos[:, None] * freqs, 2, dim=-1)
    return x * angles.cos() + rotate_half(x) * angles.sin()
