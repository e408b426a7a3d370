# contract: multi-head-attention
# cause: out-projection-transposed
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.o = nn.Linear(width, width)

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        d = c // self.heads
        outs = []
        q, k, v = self.q(query), self.k(key), self.v(value)
        for i in range(self.heads):
            cols = slice(i * d, (i + 1) * d)
            s = q[:, :, cols] @ k[:, :, cols].transpose(1, 2) / d**0.5
            if mask is not None:
                s = s.masked_fill(~mask[:, None, :], float("-inf"))
            outs.append(s.softmax(2) @ v[:, :, cols])
        y = torch.cat(outs, 2)
        return y @ self.o.weight + self.o.bias
