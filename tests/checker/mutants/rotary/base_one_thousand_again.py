# contract: rotary
# cause: base-wrong
import torch


def apply_rotary(x, offset=0):
    n, d = x.shape[-2:]
    inv_freq = 1.0 / (1000 ** (torch.arange(0, d, 2, dtype=x.dtype, device=x.device) / d))
    t = torch.arange(offset, offset + n, dtype=x.dtype, device=x.device)
    ang = torch.outer(t, inv_freq)
    cos, sin = ang.cos(), ang.sin()
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((x1 * cos - x2 * sin, x1 * sin + x2 * cos), -1).flatten(-2)
