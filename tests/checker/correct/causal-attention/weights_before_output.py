# contract: causal-attention
import torch
from torch import nn


class MaskedSelfAttention(nn.Module):
    def __init__(self, emb, heads=2, maxlen=32):
        super().__init__()
        self.h = heads
        self.tokeys = nn.Linear(emb, emb, bias=False)
        self.toqueries = nn.Linear(emb, emb, bias=False)
        self.tovalues = nn.Linear(emb, emb, bias=False)
        self.unifyheads = nn.Linear(emb, emb)

    def forward(self, x):
        b, t, e = x.size()
        s = e // self.h
        keys = self.tokeys(x).view(b, t, self.h, s).transpose(1, 2).reshape(b * self.h, t, s)
        queries = self.toqueries(x).view(b, t, self.h, s).transpose(1, 2).reshape(b * self.h, t, s)
        values = self.tovalues(x).view(b, t, self.h, s).transpose(1, 2).reshape(b * self.h, t, s)
        queries = queries / (e // self.h) ** 0.25
        keys = keys / (e // self.h) ** 0.25
        dot = torch.bmm(queries, keys.transpose(1, 2))
        i = torch.triu_indices(t, t, offset=1)
        dot[:, i[0], i[1]] = float("-inf")
        w = dot.softmax(2)
        out = torch.bmm(w, values).view(b, self.h, t, s).transpose(1, 2).reshape(b, t, e)
        return w, self.unifyheads(out)
