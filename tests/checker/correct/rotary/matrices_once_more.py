# contract: rotary
import torch


def rotary(x, offset=0, base=10000.0):
    """A two by two rotation matrix for every position and every pair."""
    *lead, n, d = x.shape
    i = torch.arange(d // 2, device=x.device)
    p = torch.arange(n, device=x.device) + offset
    angle = (p[:, None] * base ** (-2 * i.double() / d)).to(x.dtype)
    row1 = torch.stack([angle.cos(), -angle.sin()], -1)
    row2 = torch.stack([angle.sin(), angle.cos()], -1)
    R = torch.stack([row1, row2], -2)
    pairs = x.reshape(*lead, n, d // 2, 2)
    return torch.einsum("nist,...nit->...nis", R, pairs).reshape(x.shape)
