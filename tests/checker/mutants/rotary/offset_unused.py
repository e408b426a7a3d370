# contract: rotary
# cause: offset-ignored
import torch


def apply_rotary(x, offset=0):
    n, d = x.shape[-2:]
    inv = 1.0 / (10000 ** (torch.arange(0, d, 2, device=x.device, dtype=x.dtype) / d))
    ang = torch.arange(n, device=x.device, dtype=x.dtype)[:, None] * inv[None, :]
    a, b = x.chunk(2, -1)
    return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin()], -1)
