# contract: rotary
# cause: cos-sin-swapped
import torch


class Rope:
    def __init__(self, dim, base=10000):
        self.freq = base ** (-torch.arange(0, dim, 2).double() / dim)

    def table(self, n):
        a = torch.arange(n).double()[:, None] * self.freq
        return a.sin(), a.cos()

    def __call__(self, x):
        cos, sin = (t.to(x.dtype) for t in self.table(x.shape[-2]))
        x1, x2 = x[..., 0::2], x[..., 1::2]
        return torch.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1).flatten(-2)
