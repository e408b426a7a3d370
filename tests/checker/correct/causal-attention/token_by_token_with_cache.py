# contract: causal-attention
import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """Written as decoding: each token appends its key and value and looks back. No mask is needed."""

    def __init__(self, width: int, heads: int, length: int = 1024):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, x):
        b, n, c = x.shape
        d = c // self.heads
        past_k, past_v, out = [], [], []
        for t in range(n):
            q, k, v = self.c_attn(x[:, t]).split(c, dim=-1)
            past_k.append(k.view(b, self.heads, d))
            past_v.append(v.view(b, self.heads, d))
            keys, values = torch.stack(past_k, 2), torch.stack(past_v, 2)
            w = (keys @ q.view(b, self.heads, d, 1)).squeeze(-1) / math.sqrt(d)
            w = w.softmax(-1)
            out.append((w.unsqueeze(-1) * values).sum(2).reshape(b, c))
        return self.c_proj(torch.stack(out, 1))
