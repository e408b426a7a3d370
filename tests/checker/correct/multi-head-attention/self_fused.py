# contract: multi-head-attention
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    """x (b, n, c); mask (b, n), True where a token may be seen."""

    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.to_qkv = nn.Parameter(torch.randn(dim, 3, num_heads, dim // num_heads) * dim ** -0.5)
        self.to_out = nn.Parameter(torch.randn(num_heads, dim // num_heads, dim) * dim ** -0.5)
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x, mask=None):
        q, k, v = torch.einsum("bnc,cphd->pbhnd", x, self.to_qkv)
        if mask is not None:
            mask = mask[:, None, None, :]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return torch.einsum("bhnd,hdc->bnc", y, self.to_out) + self.bias
