# contract: multi-head-attention
# cause: softmax-queries
import torch
import torch.nn as nn


class AttentionHead(nn.Module):
    def __init__(self, dim_in, dim_head):
        super().__init__()
        self.q = nn.Linear(dim_in, dim_head)
        self.k = nn.Linear(dim_in, dim_head)
        self.v = nn.Linear(dim_in, dim_head)

    def forward(self, query, key, value):
        q, k, v = self.q(query), self.k(key), self.v(value)
        temp = q.bmm(k.transpose(1, 2))
        softmax = torch.softmax(temp / q.size(-1) ** 0.5, dim=1)
        return softmax.bmm(v)


class MultiHeadAttention(nn.Module):
    def __init__(self, num_heads, dim):
        super().__init__()
        self.heads = nn.ModuleList([AttentionHead(dim, dim // num_heads) for _ in range(num_heads)])
        self.linear = nn.Linear(dim, dim)

    def forward(self, query, key, value):
        return self.linear(torch.cat([h(query, key, value) for h in self.heads], dim=-1))
