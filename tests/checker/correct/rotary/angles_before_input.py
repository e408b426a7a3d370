# contract: rotary
# target: rotary
import torch


def make_freqs(t, dim=12, base=10000):
    """Angles (n, dim) for positions t."""
    return (t.double()[:, None] * base ** (-torch.arange(0, dim, 2).double() / dim)).repeat_interleave(2, -1)


def rotary(pos, t):
    """t (b, h, n, d) turned by the angles pos (n, d)."""
    a, b = t[..., 0::2], t[..., 1::2]
    partner = torch.stack([-b, a], dim=-1).flatten(-2)
    return t * pos.cos().to(t) + partner * pos.sin().to(t)
