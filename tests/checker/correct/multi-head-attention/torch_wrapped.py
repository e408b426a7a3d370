# contract: multi-head-attention
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=dropout, batch_first=True)

    def forward(self, query, key, value, key_padding_mask=None):
        return self.attn(query, key, value, key_padding_mask=key_padding_mask)
