# contract: multi-head-attention
# cause: softmax-heads
import torch
import torch.nn as nn


class MHA(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.w_q = nn.Linear(dim, dim, bias=False)
        self.w_k = nn.Linear(dim, dim, bias=False)
        self.w_v = nn.Linear(dim, dim, bias=False)
        self.w_o = nn.Linear(dim, dim, bias=False)

    def forward(self, query, key, value, mask=None):
        split = lambda t: t.reshape(t.shape[0], t.shape[1], self.heads, -1)
        q, k, v = split(self.w_q(query)), split(self.w_k(key)), split(self.w_v(value))
        e = torch.einsum("bqhd,bkhd->bqkh", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            e = e.masked_fill(~mask[:, None, :, None], -1e9)
        a = e.softmax(dim=-1)
        return self.w_o(torch.einsum("bqkh,bkhd->bqhd", a, v).flatten(2))
