# contract: multi-head-attention
# cause: mask-shape
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """mask (batch, heads, queries, keys), True where visible; broadcasting is allowed."""

    def __init__(self, model_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.wq = nn.Linear(model_dim, model_dim)
        self.wk = nn.Linear(model_dim, model_dim)
        self.wv = nn.Linear(model_dim, model_dim)
        self.wo = nn.Linear(model_dim, model_dim)

    def forward(self, query, key, value, mask=None):
        def sp(x):
            return torch.stack(x.chunk(self.num_heads, -1), 1)

        q, k, v = sp(self.wq(query)), sp(self.wk(key)), sp(self.wv(value))
        s = torch.einsum("bhnd,bhmd->bhnm", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(torch.logical_not(mask[:, :1]), -torch.inf)
        o = torch.einsum("bhnm,bhmd->bnhd", s.softmax(-1), v)
        return self.wo(o.reshape(*query.shape))
