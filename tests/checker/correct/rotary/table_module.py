# contract: rotary
import torch
from torch import nn


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, max_len: int = 1024, base: float = 10000.0):
        super().__init__()
        inv_freq = base ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        t = torch.arange(max_len, dtype=torch.float64)
        table = torch.outer(t, inv_freq).repeat(1, 2)
        self.register_buffer("cos_table", table.cos(), persistent=False)
        self.register_buffer("sin_table", table.sin(), persistent=False)

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        window = slice(offset, offset + x.shape[-2])
        cos, sin = self.cos_table[window].to(x.dtype), self.sin_table[window].to(x.dtype)
        return x * cos + rotate_half(x) * sin
