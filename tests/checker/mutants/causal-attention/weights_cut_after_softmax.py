# contract: causal-attention
# cause: mask-after-softmax
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, length=64):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(length, length)))

    def forward(self, x):
        b, n, c = x.shape
        outs = []
        q, k, v = self.c_attn(x).split(c, dim=2)
        d = c // self.heads
        for h in range(self.heads):
            s = slice(h * d, (h + 1) * d)
            scores = torch.bmm(q[:, :, s], k[:, :, s].transpose(1, 2)) / d**0.5
            weights = torch.softmax(scores, dim=2) * self.mask[:n, :n]
            outs.append(torch.bmm(weights, v[:, :, s]))
        return self.c_proj(torch.cat(outs, dim=2))
