# contract: multi-head-attention
# cause: unknown
# target: Attention
from torch import nn


class Attention(nn.Module):
    def __init__(self, embed_dim: int, n_heads: int):
        super().__init__()
        self.heads = n_heads
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim)
        self.out = nn.Linear(embed_dim, embed_dim)

    def forward(self, x, mask=None):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        weights = (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1)
        if mask is not None:
            weights = weights * mask[:, None, None]
            weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
        return self.out((weights @ v).transpose(1, 2).flatten(2))
