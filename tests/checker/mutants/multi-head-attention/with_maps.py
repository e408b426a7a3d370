# contract: multi-head-attention
# cause: gradient-cut
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)
        self.maps = None

    def forward(self, query, key, value, mask=None):
        b, h = query.shape[0], self.heads
        q = self.to_q(query).reshape(b, -1, h, query.shape[-1] // h).transpose(1, 2)
        k = self.to_k(key).reshape(b, -1, h, query.shape[-1] // h).transpose(1, 2)
        v = self.to_v(value).reshape(b, -1, h, query.shape[-1] // h).transpose(1, 2)
        dots = q @ k.mT / math.sqrt(q.shape[-1])
        if mask is not None:
            dots = dots.masked_fill(~mask[:, None, None], -torch.inf)
        # keep the maps for the figure in the report
        self.maps = attn = dots.softmax(dim=-1).detach()
        out = self.drop(attn) @ v
        return self.to_out(out.transpose(1, 2).flatten(2))
