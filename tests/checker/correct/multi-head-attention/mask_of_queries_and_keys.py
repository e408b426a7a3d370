# contract: multi-head-attention
import torch
from torch import nn

class SelfAttention(nn.Module):
    """mask (n, n): True where row i may look at column j, the same for all samples."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5
        if mask is not None:
            assert mask.shape == (n, n)
            s = s.masked_fill(~mask, float("-inf"))
        return self.to_out((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
