# contract: multi-head-attention
import torch
from torch import nn

class MultiHeadCrossAttention(nn.Module):
    def __init__(self, dim_q, dim_kv, num_heads):
        super().__init__()
        self.h = num_heads
        self.query = nn.Linear(dim_q, dim_q)
        self.key = nn.Linear(dim_kv, dim_q)
        self.value = nn.Linear(dim_kv, dim_q)
        self.out = nn.Linear(dim_q, dim_q)

    def forward(self, x, y):
        b, n, c = x.shape
        q = self.query(x).view(b, n, self.h, -1).transpose(1, 2)
        k = self.key(y).view(b, y.size(1), self.h, -1).transpose(1, 2)
        v = self.value(y).view(b, y.size(1), self.h, -1).transpose(1, 2)
        a = torch.softmax(q @ k.transpose(-2, -1) / (c // self.h) ** 0.5, dim=-1)
        return self.out((a @ v).transpose(1, 2).reshape(b, n, c))
