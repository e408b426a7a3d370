# contract: rotary
# cause: sign-missing
import torch


def moitie_tournee(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((x2, x1), dim=-1)


def appliquer_rotation(x, offset=0, base=10000.0):
    """Positions rotatives (rotary) sur le dernier axe."""
    n, d = x.shape[-2], x.shape[-1]
    frequences = base ** (-torch.arange(0, d, 2).to(x.dtype) / d)
    positions = torch.arange(offset, offset + n).to(x.dtype)
    angles = positions[:, None] * frequences[None, :]
    angles = torch.cat((angles, angles), dim=-1)
    return x * angles.cos() + moitie_tournee(x) * angles.sin()
