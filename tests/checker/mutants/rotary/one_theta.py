# contract: rotary
# cause: frequency-single
import torch


def rope(x, offset=0):
    n, d = x.shape[-2:]
    pos = torch.arange(offset, offset + n, dtype=x.dtype)
    theta = 10000 ** (-2 * 0 / d)
    a = (pos * theta)[:, None]
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * a.cos() - x2 * a.sin(), x1 * a.sin() + x2 * a.cos()), dim=-1).flatten(-2)
