# contract: multi-head-attention
# cause: mask-inverted
import torch
import torch.nn as nn
import torch.nn.functional as F


class FusedMHA(nn.Module):
    def __init__(self, width: int, heads: int, dropout: float = 0.0):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q_proj = nn.Linear(width, width)
        self.kv_proj = nn.Linear(width, 2 * width)
        self.out_proj = nn.Linear(width, width)

    def forward(self, query, key, value, padding_mask=None):
        q = self.q_proj(query)
        wk, wv = self.kv_proj.weight.chunk(2)
        bk, bv = self.kv_proj.bias.chunk(2)
        k, v = F.linear(key, wk, bk), F.linear(value, wv, bv)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        attn_mask = None if padding_mask is None else padding_mask[:, None, None, :]
        y = F.scaled_dot_product_attention(
            q, k, v, attn_mask=attn_mask, dropout_p=self.dropout if self.training else 0.0
        )
        return self.out_proj(y.transpose(1, 2).flatten(2))
