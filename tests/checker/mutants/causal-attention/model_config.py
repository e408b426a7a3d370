# contract: causal-attention
# cause: scale-width
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GPTConfig:
    n_embd: int = 48
    n_head: int = 4
    block_size: int = 64
    dropout: float = 0.0
    bias: bool = True


class SelfAttention(nn.Module):
    def __init__(self, config: GPTConfig):
        super().__init__()
        self.cfg = config
        self.to_qkv = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.to_out = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.drop = nn.Dropout(config.dropout)
        self.scale = config.n_embd**-0.5
        tri = torch.ones(config.block_size, config.block_size).tril()
        self.register_buffer("tri", tri, persistent=False)

    def forward(self, x):
        B, L, C = x.shape
        H = self.cfg.n_head
        q, k, v = (t.view(B, L, H, C // H).transpose(1, 2) for t in self.to_qkv(x).chunk(3, dim=-1))
        att = (q @ k.transpose(-1, -2)) * self.scale
        att = att.masked_fill(self.tri[:L, :L] == 0, float("-inf"))
        att = self.drop(F.softmax(att, dim=-1))
        return self.to_out((att @ v).transpose(1, 2).reshape(B, L, C))
