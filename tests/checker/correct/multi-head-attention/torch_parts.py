# contract: multi-head-attention
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=dropout, batch_first=True)

    def forward(self, query, key, value, key_padding_mask=None):
        out, _ = self.attn(query, key, value, key_padding_mask=key_padding_mask, need_weights=False)
        return out
