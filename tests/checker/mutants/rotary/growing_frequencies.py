# contract: rotary
# cause: frequencies-inverted
import torch


def frequencies(d, theta):
    return theta ** (torch.arange(0, d, 2).double() / d)


def rotary(x, offset=0, theta=10000.0):
    *_, n, d = x.shape
    positions = torch.arange(offset, offset + n).double()
    angle = positions.unsqueeze(-1) * frequencies(d, theta)
    c = torch.cos(angle).to(x.dtype)
    s = torch.sin(angle).to(x.dtype)
    out = torch.empty_like(x)
    out[..., ::2] = x[..., ::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., ::2] * s + x[..., 1::2] * c
    return out
