# contract: causal-attention
# cause: cache-positions
import torch
from torch import nn


class CausalAttention(nn.Module):
    """Rotary positions inside (pairs of neighbours); a new token may bring the keys and values of the past."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def turned(self, x):
        n, d = x.shape[-2:]
        speed = 10000.0 ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
        angles = torch.arange(n, dtype=x.dtype)[:, None] * speed
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack(
            [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1
        ).flatten(-2)

    def forward(self, x, past=None):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        q, k = self.turned(q), self.turned(k)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        n, m = q.shape[-2], k.shape[-2]
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones(n, m).triu(m - n + 1).bool(), float("-inf"))
        y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2)), (k, v)
