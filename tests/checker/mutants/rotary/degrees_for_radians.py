# contract: rotary
# cause: unknown
import torch


def rope(x):
    n, d = x.shape[-2:]
    f = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.deg2rad(torch.outer(torch.arange(n, dtype=x.dtype), f))
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()), dim=-1).flatten(-2)
