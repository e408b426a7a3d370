# contract: causal-attention
# cause: input-modified
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    """Adds the result to the stream."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x += self.out(y.transpose(1, 2).reshape(b, n, w))
        return x
