# contract: rotary
# cause: exponent-without-two
import torch


def rotary(x, offset=0):
    d = x.shape[-1]
    i = torch.arange(d // 2, dtype=torch.float64)
    theta = 10000.0 ** (-i / d)
    m = torch.arange(x.shape[-2], dtype=torch.float64) + offset
    ang = torch.outer(m, theta)
    z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], d // 2, 2))
    z = z * torch.polar(torch.ones_like(ang), ang)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)
