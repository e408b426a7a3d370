# contract: multi-head-attention
# cause: mask-ignored
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiheadSelfAttention(nn.Module):
    def __init__(self, dim, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.dropout = dropout

    def forward(self, x, mask=None, need_weights=False):
        """x (b, n, c); mask (b, n) is True for real tokens."""
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        if not need_weights:
            p = self.dropout if self.training else 0.0
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=p)
            return self.proj(y.transpose(1, 2).reshape(B, N, C))
        s = q @ k.transpose(-2, -1) * (C // self.num_heads) ** -0.5
        if mask is not None:
            s = s.masked_fill(~mask[:, None, None, :], float("-inf"))
        w = F.dropout(s.softmax(-1), self.dropout, self.training)
        return self.proj((w @ v).transpose(1, 2).reshape(B, N, C)), w
