# contract: causal-attention
import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.drop = nn.Dropout(dropout)

    def fold(self, t):
        b, n, c = t.shape
        return t.view(b, n, self.h, c // self.h).transpose(1, 2).reshape(b * self.h, n, c // self.h)

    def forward(self, x, return_weights=False):
        b, n, c = x.shape
        q = self.fold(self.q_proj(x) * (c // self.h) ** -0.5)
        k = self.fold(self.k_proj(x))
        v = self.fold(self.v_proj(x))
        mask = x.new_full((n, n), float("-inf")).triu(1)
        w = torch.baddbmm(mask.expand(b * self.h, n, n), q, k.transpose(1, 2)).softmax(-1)
        o = torch.bmm(self.drop(w), v)
        o = o.view(b, self.h, n, -1).transpose(1, 2).reshape(b, n, c)
        o = self.out_proj(o)
        return (o, w.view(b, self.h, n, n)) if return_weights else o
