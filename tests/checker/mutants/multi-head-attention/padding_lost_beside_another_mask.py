# contract: multi-head-attention
# cause: unknown
from torch import nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    """attn_mask (queries, keys) and key_padding_mask (batch, keys): True hides."""

    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q, self.k, self.v, self.o = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query, key, value, attn_mask=None, key_padding_mask=None):
        q, k, v = (
            f(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for f, x in ((self.q, query), (self.k, key), (self.v, value))
        )
        seen = None
        if attn_mask is not None:
            seen = ~attn_mask
        elif key_padding_mask is not None:
            seen = ~key_padding_mask[:, None, None, :]
        return self.o(F.scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).flatten(2))
