# contract: multi-head-attention
# cause: dropout-in-eval
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, emb, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.to_queries = nn.Linear(emb, emb, bias=False)
        self.to_keys = nn.Linear(emb, emb, bias=False)
        self.to_values = nn.Linear(emb, emb, bias=False)
        self.unify = nn.Linear(emb, emb)

    def forward(self, query, key, value, mask=None):
        h, s = self.heads, query.size(-1) // self.heads
        q = self.to_queries(query).unflatten(2, (h, s)).transpose(1, 2)
        k = self.to_keys(key).unflatten(2, (h, s)).transpose(1, 2)
        v = self.to_values(value).unflatten(2, (h, s)).transpose(1, 2)
        w = q @ k.mT * s**-0.5
        if mask is not None:
            w = w.masked_fill(~mask[:, None, None], -1e9)
        w = torch.softmax(w, dim=3)
        w = nn.Dropout(self.dropout)(w)
        return self.unify((w @ v).transpose(1, 2).flatten(2))
