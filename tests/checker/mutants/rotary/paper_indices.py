# contract: rotary
# cause: exponent-shifted
import torch


def rope(x, positions=None):
    d = x.shape[-1]
    if positions is None:
        positions = torch.arange(x.shape[-2])
    # i runs from 1 to d/2 in the paper
    i = torch.arange(1, d // 2 + 1, dtype=x.dtype)
    theta = 10000 ** (-2 * i / d)
    angle = positions.to(x.dtype)[..., None] * theta
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1).flatten(-2)
