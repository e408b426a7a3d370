# contract: multi-head-attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.h = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.o_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q = self.q_proj(query).unflatten(-1, (self.h, -1))
        k = self.k_proj(key).unflatten(-1, (self.h, -1))
        v = self.v_proj(value).unflatten(-1, (self.h, -1))
        s = torch.einsum("bqhd,bkhd->hbqk", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            keep = mask[:, None, :] if mask.ndim == 2 else mask.movedim(1, 0)
            s = s.masked_fill(~keep, torch.finfo(s.dtype).min)
        p = s.softmax(-1)
        return self.o_proj(torch.einsum("hbqk,bkhd->bqhd", p, v).flatten(2)), p.movedim(0, 1)
