# contract: multi-head-attention
# cause: mask-weak
import torch
from torch import nn


class MaskedAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q, self.to_k, self.to_v = (nn.Linear(dim, dim) for _ in range(3))
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, memory, mask=None):
        """mask (batch, keys): True where a key of the memory may be seen."""
        parts = self.to_q(x), self.to_k(memory), self.to_v(memory)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in parts)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores + (~mask)[:, None, None, :] * -100.0
        return self.to_out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
