# contract: rotary
# cause: added-not-turned
import torch


def rotary_position(x):
    n, d = x.shape[-2:]
    f = 1 / 10000 ** (torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.arange(n, dtype=x.dtype)[:, None] * f
    pe = torch.zeros(n, d, dtype=x.dtype)
    pe[:, 0::2] = torch.sin(a)
    pe[:, 1::2] = torch.cos(a)
    return x + pe
