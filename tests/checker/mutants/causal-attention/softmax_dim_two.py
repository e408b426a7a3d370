# contract: causal-attention
# cause: softmax-queries
import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=2)

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.in_proj(x).view(b, n, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5
        s = s.masked_fill(torch.ones(n, n, device=x.device).triu(1).bool(), -1e9)
        p = self.softmax(s)
        return self.out_proj((p @ v).transpose(1, 2).reshape(b, n, c))
