# contract: rotary
import torch
from torch import nn


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2:]
    return torch.cat((-x2, x1), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, max_position_embeddings=512, base=10000.0):
        super().__init__()
        inv_freq = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.int64).double() / dim))
        self.register_buffer("inv_freq", inv_freq, persistent=False)
        self._set_cache(max_position_embeddings)

    def _set_cache(self, length):
        freqs = torch.outer(torch.arange(length, device=self.inv_freq.device).to(self.inv_freq.dtype), self.inv_freq)
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos(), persistent=False)
        self.register_buffer("sin_cached", emb.sin(), persistent=False)

    def forward(self, x, offset=0):
        end = offset + x.shape[-2]
        if end > self.cos_cached.shape[0]:
            self._set_cache(end)
        cos = self.cos_cached[offset:end].to(x.dtype)
        sin = self.sin_cached[offset:end].to(x.dtype)
        return x * cos + rotate_half(x) * sin
