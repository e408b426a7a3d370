# contract: multi-head-attention
import torch
import torch.nn as nn


class MHA(nn.Module):
    """Heads folded into the batch as (head, batch): so the mask is tiled, not interleaved."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, query, key, value, mask=None):
        fold = lambda t: torch.cat(t.chunk(self.heads, dim=-1), dim=0)
        q, k, v = fold(self.query(query)), fold(self.key(key)), fold(self.value(value))
        s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask.repeat(self.heads, 1)[:, None, :], -1e9)
        y = s.softmax(-1) @ v
        return self.out(torch.cat(y.chunk(self.heads, dim=0), dim=-1))
