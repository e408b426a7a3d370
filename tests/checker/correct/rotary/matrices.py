# contract: rotary
import math
import torch


def rope(x, offset=0, base=10000.0):
    """Every neighbouring pair of channels is multiplied by a 2x2 rotation matrix."""
    n, d = x.size(-2), x.size(-1)
    i = torch.arange(d // 2, dtype=torch.float64, device=x.device)
    omega = torch.exp(-2 * i / d * math.log(base))
    p = torch.arange(n, dtype=torch.float64, device=x.device) + offset
    a = p[:, None] * omega
    R = torch.stack((torch.stack((a.cos(), -a.sin()), -1), torch.stack((a.sin(), a.cos()), -1)), -2).to(x.dtype)
    return torch.einsum("npij,...npj->...npi", R, x.unflatten(-1, (d // 2, 2))).flatten(-2)
