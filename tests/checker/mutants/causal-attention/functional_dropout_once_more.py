# contract: causal-attention
# cause: dropout-in-eval
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, dim, heads, max_seq_len, p=0.1):
        super().__init__()
        self.heads, self.p = heads, p
        self.in_proj = nn.Linear(dim, dim * 3, bias=False)
        self.out_proj = nn.Linear(dim, dim)
        mask = torch.full((max_seq_len, max_seq_len), float("-inf"))
        self.register_buffer("mask", torch.triu(mask, diagonal=1))

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.in_proj(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + self.mask[:n, :n]
        weights = F.dropout(torch.softmax(scores, dim=-1), p=self.p)
        return self.out_proj((weights @ v).transpose(1, 2).reshape(b, n, c))
