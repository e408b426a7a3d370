# contract: causal-attention
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """Projections as convolutions of width one, heads taken with narrow."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Conv1d(width, 3 * width, 1)
        self.out = nn.Conv1d(width, width, 1)

    def forward(self, x):
        b, n, c = x.shape
        d = c // self.heads
        z = self.qkv(x.transpose(1, 2))  # (b, 3c, n)
        later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        ys = []
        for h in range(self.heads):
            q = z.narrow(1, h * d, d)
            k = z.narrow(1, c + h * d, d)
            v = z.narrow(1, 2 * c + h * d, d)
            s = torch.einsum("bdi,bdj->bij", q, k) / d ** 0.5
            w = s.masked_fill(later, float("-inf")).softmax(2)
            ys.append(torch.einsum("bij,bdj->bdi", w, v))
        return self.out(torch.cat(ys, 1)).transpose(1, 2)
