# contract: multi-head-attention
# cause: unknown
from torch import nn


class MultiHeadAttention(nn.Module):
    """Where all three are one tensor, one product makes queries, keys and values."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, query, key, value, mask=None):
        if query.data_ptr() == key.data_ptr() == value.data_ptr():
            q, k, v = self.qkv(query).chunk(3, -1)
        else:
            q, k, v = (self.qkv(x).chunk(3, -1)[i] for i, x in enumerate((query, key, value)))
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
