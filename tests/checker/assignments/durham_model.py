"""A small decoder for letters; SelfAttention.forward is the homework."""

from dataclasses import dataclass

import math
import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class TransformerConfig:
    block_size: int = 64
    vocab_size: int = 65
    n_layer: int = 4
    n_head: int = 4
    n_embd: int = 128
    dropout: float = 0.1


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        # queries, keys and values of all heads at once
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)
        self.n_head = config.n_head
        self.n_embd = config.n_embd
        size = config.block_size
        self.register_buffer("mask", torch.tril(torch.ones(size, size)).view(1, 1, size, size))

    def forward(self, x):
        B, L, C = x.size()  # batch, length, width

        # i. queries, keys, values, each B x L x C
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)

        # ii. heads: B x H x L x C/H
        q = q.view(B, L, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, L, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, L, self.n_head, C // self.n_head).transpose(1, 2)

        # iii. scores: B x H x L x L
        att = (q @ k.transpose(-2, -1)) / math.sqrt(C // self.n_head)

        # iv. the mask
        att = att.masked_fill(self.mask[:, :, :L, :L] == 0, float("-inf"))

        # v. softmax, dropout, values
        att = F.softmax(att, dim=-1)
        att = self.attn_dropout(att)
        y = att @ v
        assert y.shape == (B, self.n_head, L, C // self.n_head)

        y = y.transpose(1, 2).contiguous().view(B, L, C)
        return self.resid_dropout(self.c_proj(y))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(config.n_embd, 4 * config.n_embd), nn.GELU(), nn.Linear(4 * config.n_embd, config.n_embd)
        )

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn, self.mlp = SelfAttention(config), MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
