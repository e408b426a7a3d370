# contract: rotary
# cause: not-reinterleaved
import numpy as np
import torch


def fixed_pos_embedding(n, d, offset=0, base=10000.0):
    inv = 1.0 / (base ** (np.arange(0, d, 2) / d))
    t = np.arange(offset, offset + n)
    sinusoid = np.einsum("i,j->ij", t, inv)
    return np.sin(sinusoid), np.cos(sinusoid)


def apply_rotary_pos_emb(x, offset=0, base=10000.0):
    sin, cos = fixed_pos_embedding(x.shape[-2], x.shape[-1], offset, base)
    sin = torch.from_numpy(sin).to(x)
    cos = torch.from_numpy(cos).to(x)
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.cat((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
