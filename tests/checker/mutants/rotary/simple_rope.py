# contract: rotary
# cause: unknown
import torch


def rotary(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    i = torch.arange(d // 2, dtype=torch.float64)
    w = torch.arange(offset, offset + n, dtype=torch.float64)[:, None] * base ** (-2 * i / d)
    cos = torch.cos(w).to(x.dtype)
    sin = torch.sin(w).to(x.dtype)
    a, b = torch.chunk(x, 2, dim=-1)
    a = a * cos - b * sin
    b = a * sin + b * cos
    return torch.cat([a, b], dim=-1)
