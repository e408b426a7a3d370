# contract: causal-attention
# cause: across-batch
import math
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.in_proj = nn.Linear(embed_dim, 3 * embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, x):
        tgt_len, bsz, embed_dim = x.shape
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        q = q.reshape(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.reshape(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.reshape(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        w = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        w = w + torch.triu(
            torch.full((tgt_len, tgt_len), float("-inf"), device=x.device, dtype=x.dtype), diagonal=1
        )
        o = torch.bmm(w.softmax(dim=-1), v)
        return self.out_proj(o.transpose(0, 1).reshape(tgt_len, bsz, embed_dim))
