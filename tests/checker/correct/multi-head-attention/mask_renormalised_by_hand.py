# contract: multi-head-attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """The mask comes after the exponential but before the division: the weights sum to one."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        d = c // self.heads
        q = self.query(query).view(b, n, self.heads, d).transpose(1, 2)
        k = self.key(key).view(b, -1, self.heads, d).transpose(1, 2)
        v = self.value(value).view(b, -1, self.heads, d).transpose(1, 2)
        s = q @ k.mT / d ** 0.5
        if mask is not None:
            top = s.masked_fill(~mask[:, None, None, :], -1e30).amax(-1, keepdim=True)
            e = torch.exp((s - top).clamp(max=0)) * mask[:, None, None, :]
        else:
            e = torch.exp(s - s.amax(-1, keepdim=True))
        w = e / e.sum(-1, keepdim=True).clamp_min(1e-30)
        return self.out((w @ v).transpose(1, 2).reshape(b, n, c))
