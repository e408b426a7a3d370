# contract: multi-head-attention
from torch import nn


class Attention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0):
        super().__init__()
        self.inner = nn.MultiheadAttention(embed_dim, num_heads, dropout, batch_first=True)

    def forward(self, query, key, value, key_padding_mask=None):
        y, _ = self.inner(query, key, value, key_padding_mask=key_padding_mask, need_weights=False)
        return y
