# contract: multi-head-attention
# cause: out-projection-missing
import math
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.query(query), self.key(key), self.value(value)
        d = q.shape[-1] // self.heads
        parts = []
        for qh, kh, vh in zip(q.split(d, -1), k.split(d, -1), v.split(d, -1)):
            s = qh @ kh.transpose(1, 2) / math.sqrt(d)
            if mask is not None:
                s = s.masked_fill(~mask.unsqueeze(1), -1e9)
            parts.append(s.softmax(-1) @ vh)
        return torch.cat(parts, dim=-1)
