# contract: multi-head-attention
# cause: size-dependent
import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderDecoderAttention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_model, bias=False)
        self.v_proj = nn.Linear(d_model, d_model, bias=False)
        self.o_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, query, key, value, mask=None):
        b, n, c = query.shape
        m = min(n, key.size(1))
        shape = lambda t, s: t[:, :s].reshape(b, s, self.nhead, c // self.nhead).transpose(1, 2)
        q = shape(self.q_proj(query), n)
        k = shape(self.k_proj(key), m)
        v = shape(self.v_proj(value), m)
        if mask is not None:
            mask = mask[:, None, None, :m]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, c))
