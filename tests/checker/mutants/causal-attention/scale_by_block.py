# contract: causal-attention
# cause: scale-length
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(embed_dim, embed_dim)
        self.k_proj = nn.Linear(embed_dim, embed_dim)
        self.v_proj = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)

    def forward(self, hidden):
        B, T, C = hidden.size()
        shape = (B, T, self.num_heads, -1)
        q = self.q_proj(hidden).view(shape).transpose(1, 2)
        k = self.k_proj(hidden).view(shape).transpose(1, 2)
        v = self.v_proj(hidden).view(shape).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(2, 3)) / q.size(2) ** 0.5
        future = torch.triu(torch.ones(T, T, device=hidden.device), diagonal=1).bool()
        probs = F.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
        ctx = torch.matmul(probs, v).transpose(1, 2).contiguous().view(B, T, C)
        return self.out_proj(ctx)
