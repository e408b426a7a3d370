# contract: rotary
# cause: direction-reversed
import torch


def apply_rope(x, offset=0, base=10000.0):
    """Rotary position embedding on (..., n, d)."""
    n, d = x.shape[-2:]
    theta = base ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
    t = torch.arange(n, dtype=torch.float64) + offset
    ang = t[:, None] * theta[None, :]
    cos, sin = ang.cos().to(x), ang.sin().to(x)
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos + odd * sin, odd * cos - even * sin), dim=-1).flatten(-2)
