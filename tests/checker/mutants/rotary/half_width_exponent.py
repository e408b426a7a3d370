# contract: rotary
# cause: exponent-doubled
import torch
import torch.nn as nn


class RoPE(nn.Module):
    """Rotary position embedding, channels 2i and 2i + 1 together."""

    def __init__(self, dim, base=10000):
        super().__init__()
        half = dim // 2
        self.register_buffer("freq", base ** -(torch.arange(0, dim, 2, dtype=torch.float64) / half))

    def forward(self, x, offset=0):
        seq = torch.arange(x.size(-2), device=x.device) + offset
        ang = seq[:, None] * self.freq
        cos = ang.cos().repeat_interleave(2, -1).to(x.dtype)
        sin = ang.sin().repeat_interleave(2, -1).to(x.dtype)
        flipped = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).reshape(x.shape)
        return x * cos + flipped * sin
