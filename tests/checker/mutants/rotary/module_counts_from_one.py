# contract: rotary
# cause: positions-from-one
import torch
import torch.nn as nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, max_seq_len=512, base=10000):
        super().__init__()
        inv_freq = base ** -(torch.arange(0, dim, 2, dtype=torch.float64) / dim)
        positions = torch.arange(1, max_seq_len + 1, dtype=torch.float64)
        table = torch.outer(positions, inv_freq)
        table = torch.cat([table, table], dim=-1)
        self.register_buffer("cos", table.cos(), persistent=False)
        self.register_buffer("sin", table.sin(), persistent=False)

    def forward(self, x, offset=0):
        n = x.shape[-2]
        cos = self.cos[offset : offset + n].to(x.dtype)
        sin = self.sin[offset : offset + n].to(x.dtype)
        x1, x2 = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-x2, x1), dim=-1) * sin
