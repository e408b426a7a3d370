# contract: causal-attention
# cause: value-is-key
import torch
from torch import nn


class LoopAttention(nn.Module):
    def __init__(self, width, heads, length=256):
        super().__init__()
        self.width, self.heads = width, heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        m = torch.full((length, length), float("-inf"))
        self.register_buffer("m", torch.triu(m, diagonal=1))

    def forward(self, x):
        n = x.size(1)
        d = self.width // self.heads
        q, k, v = self.q(x), self.k(x), self.v(x)
        results = []
        for i in range(self.heads):
            part = slice(i * d, (i + 1) * d)
            scores = q[..., part] @ k[..., part].mT * d**-0.5 + self.m[:n, :n]
            results.append(torch.softmax(scores, -1) @ k[..., part])
        return self.out(torch.cat(results, -1))
