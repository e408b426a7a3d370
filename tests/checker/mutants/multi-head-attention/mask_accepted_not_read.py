# contract: multi-head-attention
# cause: mask-ignored
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.q = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.o = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        """mask (b, m): True for keys that may be looked at."""
        b, n, c = query.shape
        m = key.shape[1]
        q = self.q(query).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k(key).view(b, m, self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v(value).view(b, m, self.num_heads, self.head_dim).transpose(1, 2)
        logits = q @ k.transpose(-1, -2) / self.head_dim**0.5
        if mask is not None:
            logits.masked_fill(mask[:, None, None, :] == 0, -1e9)
        w = self.drop(F.softmax(logits, dim=-1))
        return self.o((w @ v).transpose(1, 2).reshape(b, n, c))
