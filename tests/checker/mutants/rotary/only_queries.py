# contract: rotary
# cause: keys-not-turned
import torch


def turn(x):
    n, d = x.shape[-2:]
    f = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    a = torch.outer(torch.arange(n, dtype=x.dtype), f)
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((x1 * a.cos() - x2 * a.sin(), x2 * a.cos() + x1 * a.sin()), -1)


def rotary(q, k):
    q = turn(q)
    return q, k
