# contract: multi-head-attention
# cause: mask-shape
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """attn_mask (n, m) bool, True = hidden; key_padding_mask (b, m) bool, True = padding."""

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = dropout

    def forward(self, query, key, value, attn_mask=None, key_padding_mask=None, need_weights=False):
        b, n, c = query.shape
        m = key.size(1)
        q = self.q_proj(query).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(key).view(b, m, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(value).view(b, m, self.num_heads, self.head_dim).transpose(1, 2)
        s = q @ k.transpose(-2, -1) / self.head_dim**0.5
        if attn_mask is not None:
            s = s.masked_fill(attn_mask, float("-inf"))
        if key_padding_mask is not None:
            s = s.masked_fill(key_padding_mask[0], float("-inf"))
        p = nn.functional.dropout(s.softmax(-1), self.dropout, self.training)
        out = self.out_proj((p @ v).transpose(1, 2).reshape(b, n, c))
        return (out, p.mean(1)) if need_weights else (out, None)
