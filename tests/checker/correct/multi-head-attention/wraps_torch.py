# contract: multi-head-attention
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim, num_heads, dropout=0.0):
        super().__init__()
        self.inner = nn.MultiheadAttention(dim, num_heads, dropout=dropout, batch_first=True)

    def forward(self, query, key, value, key_padding_mask=None):
        y, _ = self.inner(query, key, value, key_padding_mask=key_padding_mask, need_weights=False)
        return y
