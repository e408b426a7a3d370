# contract: rotary
# cause: exponent-without-two
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim: int, base: float = 10000.0):
        super().__init__()
        exponent = torch.arange(dim // 2).float() / dim
        self.register_buffer("inv_freq", base**-exponent, persistent=False)

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        n = x.shape[-2]
        t = torch.arange(offset, offset + n, device=x.device, dtype=self.inv_freq.dtype)
        freqs = torch.einsum("i,j->ij", t, self.inv_freq)
        cos, sin = freqs.cos().type_as(x), freqs.sin().type_as(x)
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)
