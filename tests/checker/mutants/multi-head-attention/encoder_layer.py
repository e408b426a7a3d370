# contract: multi-head-attention
# cause: mask-transposed
import torch
import torch.nn as nn


class MultiHeadSelfAttention(nn.Module):
    """Self-attention of an encoder. mask: (batch, tokens), True for real tokens."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, mask=None):
        bs, n, dim = x.size()
        q = self.wq(x).view(bs, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        k = self.wk(x).view(bs, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        v = self.wv(x).view(bs, n, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        energy = torch.matmul(q, k.permute(0, 1, 3, 2)) / self.head_dim**0.5
        if mask is not None:
            energy = energy.masked_fill(mask.unsqueeze(1).unsqueeze(-1) == 0, -1e10)
        attention = torch.softmax(energy, dim=-1)
        out = torch.matmul(attention, v).permute(0, 2, 1, 3).contiguous()
        return self.wo(out.view(bs, n, dim))
