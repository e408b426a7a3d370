# contract: rotary
# cause: cos-sin-swapped
import torch


def build_tables(n, d, offset, base):
    i = torch.arange(d // 2).double()
    angles = torch.arange(offset, offset + n).double()[:, None] / base ** (2 * i / d)
    return torch.sin(angles), torch.cos(angles)


def rope(x, offset=0, base=10000.0):
    n, d = x.shape[-2], x.shape[-1]
    cos, sin = build_tables(n, d, offset, base)
    cos, sin = cos.to(x), sin.to(x)
    left, right = x.split(d // 2, dim=-1)
    return torch.cat([left * cos - right * sin, left * sin + right * cos], dim=-1)
