# contract: rotary
# cause: exponent-doubled
import torch


def apply_rope(x):
    *_, n, d = x.shape
    half = d // 2
    freqs = 10000 ** (-torch.arange(0, d, 2, dtype=x.dtype) / half)
    angles = torch.arange(n, dtype=x.dtype).unsqueeze(1) * freqs
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat([x1 * angles.cos() - x2 * angles.sin(), x1 * angles.sin() + x2 * angles.cos()], -1)
