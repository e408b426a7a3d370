# contract: rotary
# cause: positions-from-one, base-wrong
import torch


def rope(x, offset=0):
    d = x.shape[-1]
    w = 1000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype, device=x.device) / d)
    p = torch.arange(x.shape[-2], dtype=x.dtype, device=x.device) + offset + 1
    a = p.unsqueeze(-1) * w
    u, v = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([u * a.cos() - v * a.sin(), u * a.sin() + v * a.cos()], dim=-1).flatten(-2)
