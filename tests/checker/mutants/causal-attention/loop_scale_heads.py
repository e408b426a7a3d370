# contract: causal-attention
# cause: scale-heads
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        n, width = x.shape[1], x.shape[2]
        d = width // self.heads
        q, k, v = torch.split(self.qkv(x), width, dim=-1)
        see = torch.tril(torch.ones(n, n, device=x.device)).bool()
        parts = []
        for i in range(self.heads):
            part = slice(i * d, (i + 1) * d)
            score = q[..., part] @ k[..., part].mT / self.heads**0.5
            score = score.masked_fill(~see, float("-inf"))
            parts.append(score.softmax(-1) @ v[..., part])
        return self.out(torch.cat(parts, -1))
