# contract: multi-head-attention
# cause: mask-inverted
import math
import torch
from torch import nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * embed_dim, embed_dim))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * embed_dim))
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, query, key, value, key_padding_mask=None):
        """key_padding_mask: (b, m), True at padding."""
        wq, wk, wv = self.in_proj_weight.chunk(3)
        bq, bk, bv = self.in_proj_bias.chunk(3)
        heads = lambda t: t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q = heads(nn.functional.linear(query, wq, bq))
        k = heads(nn.functional.linear(key, wk, bk))
        v = heads(nn.functional.linear(value, wv, bv))
        att = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if key_padding_mask is not None:
            att = att.masked_fill(~key_padding_mask[:, None, None, :], -1e9)
        return self.out_proj((att.softmax(-1) @ v).transpose(1, 2).flatten(2))
