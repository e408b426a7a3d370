# contract: scaled-dot-product
# cause: unknown
import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    """attn_mask (n, m): True hides. key_padding_mask (b, m): True hides as well."""

    def forward(self, q, k, v, attn_mask=None, key_padding_mask=None):
        s = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
        if attn_mask is not None:
            s = s.masked_fill(attn_mask, -1e9)
        elif key_padding_mask is not None:
            s = s.masked_fill(key_padding_mask.view(len(q), *[1] * (s.dim() - 2), -1), -1e9)
        return torch.matmul(torch.softmax(s, dim=-1), v)
