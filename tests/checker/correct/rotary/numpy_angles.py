# contract: rotary
import numpy as np
import torch


def angles(n, d, offset, base):
    positions = np.arange(offset, offset + n, dtype=np.float64)
    rates = np.exp(-np.log(base) * np.arange(0, d, 2) / d)
    return np.outer(positions, rates)


def apply_rotary(x, offset=0, base=10000.0):
    n, d = x.shape[-2], x.shape[-1]
    grid = torch.from_numpy(angles(n, d, offset, base)).to(x.device)
    c, s = torch.cos(grid).to(x.dtype), torch.sin(grid).to(x.dtype)
    first, second = torch.tensor_split(x, 2, dim=-1)
    return torch.cat([first * c - second * s, first * s + second * c], dim=-1)
