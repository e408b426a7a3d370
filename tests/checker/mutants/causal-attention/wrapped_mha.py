# contract: causal-attention
# cause: across-batch
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0):
        super().__init__()
        self.attn = nn.MultiheadAttention(embed_dim, num_heads, dropout=dropout)

    def forward(self, x):
        length = x.size(0)
        mask = nn.Transformer.generate_square_subsequent_mask(length).to(x)
        out, _ = self.attn(x, x, x, attn_mask=mask, need_weights=False)
        return out
