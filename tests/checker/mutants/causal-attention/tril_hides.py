# contract: causal-attention
# cause: mask-inverted
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalMHA(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.qkv_proj = nn.Linear(dim, dim * 3)
        self.o_proj = nn.Linear(dim, dim)

    def forward(self, x):
        bsz, seqlen, dim = x.shape
        qkv = self.qkv_proj(x).reshape(bsz, seqlen, 3, self.n_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-1, -2) / self.head_dim**0.5
        mask = torch.tril(torch.ones(seqlen, seqlen, device=x.device), diagonal=-1)
        scores = scores.masked_fill(mask == 1, float("-inf"))
        y = F.softmax(scores, dim=-1) @ v
        return self.o_proj(y.permute(0, 2, 1, 3).reshape(bsz, seqlen, dim))
