# contract: multi-head-attention
# cause: mask-batch-order
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def to_heads(self, t):
        b, n, c = t.shape
        t = t.reshape(b, n, self.heads, c // self.heads)
        return t.permute(0, 2, 1, 3).reshape(b * self.heads, n, -1)

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        q, k, v = (
            self.to_heads(self.query(query)),
            self.to_heads(self.key(key)),
            self.to_heads(self.value(value)),
        )
        s = torch.bmm(q, k.transpose(1, 2)) / (c // self.heads) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask.repeat(self.heads, 1).unsqueeze(1), -1e9)
        y = torch.bmm(s.softmax(dim=2), v)
        y = y.reshape(b, self.heads, n, -1).permute(0, 2, 1, 3).reshape(b, n, c)
        return self.out(y)
