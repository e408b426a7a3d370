# contract: rotary
# cause: unknown
import torch


def drehe(x, versatz=0):
    n, d = x.shape[-2:]
    tempo = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    winkel = torch.arange(n, dtype=x.dtype)[:, None] * tempo + versatz
    a, b = x[..., 0::2], x[..., 1::2]
    paar = a * winkel.cos() - b * winkel.sin(), a * winkel.sin() + b * winkel.cos()
    return torch.stack(paar, dim=-1).flatten(-2)
