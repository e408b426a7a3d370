# contract: multi-head-attention
# cause: softmax-heads
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=True)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).unbind(2)
        attn = torch.einsum("bnhd,bmhd->bnmh", q, k) * (C // self.num_heads) ** -0.5
        attn = attn.softmax(dim=-1)
        x = torch.einsum("bnmh,bmhd->bnhd", attn, v).reshape(B, N, C)
        return self.proj(x)
