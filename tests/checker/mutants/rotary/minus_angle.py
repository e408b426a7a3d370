# contract: rotary
# cause: direction-reversed
import torch


def rope(x, offset=0):
    n, d = x.shape[-2], x.shape[-1]
    pos = torch.arange(offset, offset + n, dtype=x.dtype)
    theta = 1.0 / 10000 ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.outer(pos, theta)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    y1 = x1 * a.cos() + x2 * a.sin()
    y2 = -x1 * a.sin() + x2 * a.cos()
    return torch.stack([y1, y2], dim=-1).reshape(x.shape)
