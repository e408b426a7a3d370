# contract: multi-head-attention
# cause: mask-inverted
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.mha = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)

    def forward(self, x, mask=None):
        """mask: (b, n), True for real tokens."""
        y, _ = self.mha(x, x, x, key_padding_mask=mask)
        return y
