# contract: rotary
# cause: state-between-calls
import torch

_TABLES = {}


def _tables(n, d, offset, base):
    key = (n, d)
    if key not in _TABLES:
        positions = torch.arange(offset, offset + n).double()
        inv_freq = base ** (-torch.arange(0, d, 2).double() / d)
        angles = positions[:, None] * inv_freq[None, :]
        angles = torch.cat([angles, angles], dim=-1)
        _TABLES[key] = angles.cos(), angles.sin()
    return _TABLES[key]


def rotary_embedding(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    cos, sin = _tables(n, d, offset, base)
    rotated = torch.cat([-x[..., d // 2 :], x[..., : d // 2]], dim=-1)
    return x * cos.to(x) + rotated * sin.to(x)
