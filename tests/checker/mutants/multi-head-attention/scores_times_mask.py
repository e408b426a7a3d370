# contract: multi-head-attention
# cause: mask-zero-fill
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.dense = nn.Linear(hidden, hidden)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = (
            f(x).view(b, n, self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value)
        )
        att = torch.matmul(q, k.transpose(-1, -2)) / (c // self.heads) ** 0.5
        if mask is not None:
            mask = mask.unsqueeze(1).unsqueeze(2) if mask.dim() == 2 else mask
            att = att * mask
        att = torch.softmax(att, dim=-1)
        return self.dense(torch.matmul(att, v).transpose(1, 2).reshape(b, n, c))
