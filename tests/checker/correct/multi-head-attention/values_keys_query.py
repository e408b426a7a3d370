# contract: multi-head-attention
import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, embed_size, heads):
        super().__init__()
        self.heads, self.d = heads, embed_size // heads
        self.values = nn.Linear(embed_size, embed_size)
        self.keys = nn.Linear(embed_size, embed_size)
        self.queries = nn.Linear(embed_size, embed_size)
        self.fc_out = nn.Linear(embed_size, embed_size)

    def forward(self, values, keys, query, mask):
        N = query.shape[0]
        v = self.values(values).reshape(N, values.shape[1], self.heads, self.d)
        k = self.keys(keys).reshape(N, keys.shape[1], self.heads, self.d)
        q = self.queries(query).reshape(N, query.shape[1], self.heads, self.d)
        e = torch.einsum("nqhd,nkhd->nhqk", [q, k])
        if mask is not None:
            e = e.masked_fill(mask == 0, float("-1e20"))
        a = torch.softmax(e / self.d**0.5, dim=3)
        return self.fc_out(torch.einsum("nhql,nlhd->nqhd", [a, v]).reshape(N, query.shape[1], -1))
