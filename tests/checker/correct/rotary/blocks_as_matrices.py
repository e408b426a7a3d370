# contract: rotary
import torch


def rotation_matrix(p, d, base):
    i = torch.arange(d // 2, dtype=torch.float64)
    angle = p * base ** (-2 * i / d)
    R = torch.zeros(d, d, dtype=torch.float64)
    e, o = torch.arange(0, d, 2), torch.arange(1, d, 2)
    R[e, e] = angle.cos()
    R[o, o] = angle.cos()
    R[e, o] = -angle.sin()
    R[o, e] = angle.sin()
    return R


def rotary(x, offset=0, base=10000.0):
    d = x.shape[-1]
    R = torch.stack([rotation_matrix(offset + p, d, base) for p in range(x.shape[-2])]).to(x)
    return torch.einsum("nij,...nj->...ni", R, x)
