# contract: causal-attention
# cause: dropout-in-eval
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head, self.p = config.n_head, 0.1
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (
            t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in self.c_attn(x).split(C, 2)
        )
        att = q @ k.transpose(-2, -1) / (C // self.n_head) ** 0.5
        att = att.masked_fill(torch.triu(torch.ones(T, T, device=x.device), 1).bool(), float("-inf"))
        att = F.dropout(F.softmax(att, dim=-1), self.p)
        return self.c_proj((att @ v).transpose(1, 2).reshape(B, T, C))
