# contract: rotary
# cause: direction-reversed
import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim: int, max_len: int = 2048, base: float = 10000.0):
        super().__init__()
        inv_freq = base ** (-torch.arange(0, dim, 2).double() / dim)
        t = torch.arange(max_len).double()
        freqs = torch.einsum("i,j->ij", t, inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos", emb.cos(), persistent=False)
        self.register_buffer("sin", emb.sin(), persistent=False)

    @staticmethod
    def _rotate_half(x):
        half = x.shape[-1] // 2
        return torch.cat((x[..., half:], -x[..., :half]), dim=-1)

    def forward(self, x: torch.Tensor, offset: int = 0) -> torch.Tensor:
        n = x.shape[-2]
        cos = self.cos[offset : offset + n].to(x.dtype)
        sin = self.sin[offset : offset + n].to(x.dtype)
        return x * cos + self._rotate_half(x) * sin
