# contract: causal-attention
# cause: unknown
import math
import torch
from torch import nn


class BlockwiseCausalAttention(nn.Module):
    def __init__(self, dim, num_heads, block=4):
        super().__init__()
        self.num_heads = num_heads
        self.block = block
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def _mask(self, n, device):
        blk = torch.arange(n, device=device) // self.block
        return blk.unsqueeze(1) >= blk.unsqueeze(0)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k, v = [t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in (q, k, v)]
        s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        s = s.masked_fill(~self._mask(n, x.device), float("-inf"))
        y = torch.softmax(s, dim=-1) @ v
        return self.proj(y.transpose(1, 2).flatten(-2))
