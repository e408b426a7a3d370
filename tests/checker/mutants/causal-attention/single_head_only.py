# contract: causal-attention
# cause: heads-ignored
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        n, c = x.shape[1:]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        att = q @ k.transpose(-2, -1) / c**0.5
        att = att.masked_fill(torch.triu(torch.ones(n, n, device=x.device), 1).bool(), float("-inf"))
        att = self.dropout(F.softmax(att, dim=-1))
        return self.proj(att @ v)
