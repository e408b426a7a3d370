# contract: causal-attention
# cause: softmax-twice
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.nh, self.hs = n_head, n_embd // n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def scores(self, q, k):
        n = q.size(-2)
        s = q @ k.transpose(-1, -2) / self.hs**0.5
        s = s.masked_fill(torch.triu(torch.ones(n, n, device=q.device), 1).bool(), float("-inf"))
        return F.softmax(s, dim=-1)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.nh, self.hs).transpose(1, 2) for t in self.c_attn(x).split(C, -1))
        y = F.softmax(self.scores(q, k), dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
