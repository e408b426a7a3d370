# contract: rotary
import math

import torch


def tourner(x, offset=0, base=10000.0):
    """Rotary : chaque paire (2i, 2i + 1) tourne d'un angle proportionnel a la position."""
    n, d = x.shape[-2:]
    p = torch.arange(offset, offset + n, dtype=x.dtype, device=x.device)
    colonnes = []
    for i in range(0, d, 2):
        angle = p * math.pow(base, -i / d)
        c, s = angle.cos(), angle.sin()
        a, b = x[..., i], x[..., i + 1]
        colonnes += [a * c - b * s, a * s + b * c]
    return torch.stack(colonnes, dim=-1)
