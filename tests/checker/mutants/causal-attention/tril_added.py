# contract: causal-attention
# cause: mask-added
import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.n_head = config.n_head
        self.q = nn.Linear(config.n_embd, config.n_embd)
        self.k = nn.Linear(config.n_embd, config.n_embd)
        self.v = nn.Linear(config.n_embd, config.n_embd)
        self.o = nn.Linear(config.n_embd, config.n_embd)
        self.register_buffer("tri", torch.tril(torch.ones(config.block_size, config.block_size)))

    def forward(self, x):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.n_head, -1).transpose(1, 2)
        k = self.k(x).view(B, T, self.n_head, -1).transpose(1, 2)
        v = self.v(x).view(B, T, self.n_head, -1).transpose(1, 2)
        w = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5 + self.tri[:T, :T]
        y = F.softmax(w, dim=-1) @ v
        return self.o(y.transpose(1, 2).contiguous().view(B, T, C))
