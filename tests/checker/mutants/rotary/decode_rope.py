# contract: rotary
# cause: offset-ignored
import torch
from torch import nn


class Rope(nn.Module):
    def __init__(self, head_dim, max_seq_len=4096, theta=10000.0):
        super().__init__()
        freq = 1.0 / theta ** (torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
        ang = torch.arange(max_seq_len, dtype=torch.float64).outer(freq)
        self.register_buffer("cos_table", ang.cos())
        self.register_buffer("sin_table", ang.sin())

    def forward(self, x, offset=0):
        seq_len = x.size(-2)
        if offset + seq_len > self.cos_table.size(0):
            raise ValueError("sequence is longer than the table")
        c = self.cos_table[:seq_len].to(x)
        s = self.sin_table[:seq_len].to(x)
        x1, x2 = x.chunk(2, -1)
        return torch.cat((x1 * c - x2 * s, x2 * c + x1 * s), -1)
