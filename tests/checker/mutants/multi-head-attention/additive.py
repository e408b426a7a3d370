# contract: multi-head-attention
# cause: unknown
import math
import torch
from torch import nn


class MHA(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        b, n, m = query.size(0), query.size(1), key.size(1)
        q = self.wq(query).view(b, n, self.n_heads, self.d_head)
        k = self.wk(key).view(b, m, self.n_heads, self.d_head)
        v = self.wv(value).view(b, m, self.n_heads, self.d_head)
        e = torch.einsum("bnhd,bmhd->bhnm", q, k) / math.sqrt(self.d_head)
        if mask is not None:
            bias = (1.0 - mask.to(e.dtype)) * float("-inf")
            e = e + bias[:, None, None, :]
        a = torch.softmax(e, dim=-1)
        y = torch.einsum("bhnm,bmhd->bnhd", a, v).reshape(b, n, -1)
        return self.wo(y)
