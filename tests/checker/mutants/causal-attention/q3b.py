# contract: causal-attention
# cause: heads-split-view
import math

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, n_embd: int, n_head: int, block_size: int, attn_pdrop: float = 0.0):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.attn_dropout = nn.Dropout(attn_pdrop)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, L, C = x.shape
        H = self.n_head
        Q, K, V = self.c_attn(x).split(C, dim=2)
        Q = Q.contiguous().view(B, H, L, C // H)
        K = K.contiguous().view(B, H, L, C // H)
        V = V.contiguous().view(B, H, L, C // H)
        S = torch.matmul(Q, K.transpose(2, 3)) / math.sqrt(C // H)
        S = S.masked_fill(self.mask[:L, :L] == 0, -math.inf)
        A = self.attn_dropout(torch.softmax(S, dim=3))
        Y = torch.matmul(A, V)
        Y = Y.transpose(1, 2).reshape(B, L, C)
        return self.c_proj(Y)
