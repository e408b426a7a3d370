# contract: rotary
# cause: frequencies-inverted
import math
import torch


def rotary(x, offset=0, base=10000.0):
    n, d = x.shape[-2:]
    out = x.clone()
    p = torch.arange(offset, offset + n, dtype=x.dtype, device=x.device)
    for i in range(d // 2):
        freq = math.exp(math.log(base) * 2 * i / d)
        c, s = torch.cos(p * freq), torch.sin(p * freq)
        out[..., i] = x[..., i] * c - x[..., i + d // 2] * s
        out[..., i + d // 2] = x[..., i] * s + x[..., i + d // 2] * c
    return out
