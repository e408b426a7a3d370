# contract: causal-attention
# cause: gradient-cut
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in self.c_attn(x).split(C, -1))
        with torch.no_grad():
            att = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
            att = att.masked_fill(torch.ones(T, T, device=x.device).triu(1).bool(), float("-inf"))
            att = F.softmax(att, dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, C))
