# contract: multi-head-attention
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """Batch and heads folded into one axis for bmm."""

    def __init__(self, d_model, n_heads, dropout=0.0, bias=False):
        super().__init__()
        self.n_heads = n_heads
        self.dropout = dropout
        self.W_q = nn.Linear(d_model, d_model, bias=bias)
        self.W_k = nn.Linear(d_model, d_model, bias=bias)
        self.W_v = nn.Linear(d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)

    def fold(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.n_heads, c // self.n_heads).permute(0, 2, 1, 3).reshape(b * self.n_heads, n, -1)

    def unfold(self, t):
        bh, n, d = t.shape
        return t.reshape(-1, self.n_heads, n, d).permute(0, 2, 1, 3).reshape(-1, n, self.n_heads * d)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.fold(self.W_q(query)), self.fold(self.W_k(key)), self.fold(self.W_v(value))
        s = torch.bmm(q, k.transpose(1, 2)) / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask.repeat_interleave(self.n_heads, dim=0)[:, None, :], -1e9)
        w = F.dropout(F.softmax(s, dim=-1), self.dropout, training=self.training)
        return self.W_o(self.unfold(torch.bmm(w, v)))
