# contract: causal-attention
# cause: mask-after-softmax
import math

import torch
from torch import nn


class AttentionCausale(nn.Module):
    """Auto-attention causale (causal self-attention) a plusieurs tetes."""

    def __init__(self, dim, n_heads):
        super().__init__()
        self.tetes = n_heads
        self.Mq = nn.Parameter(torch.empty(dim, dim))
        self.Mk = nn.Parameter(torch.empty(dim, dim))
        self.Mv = nn.Parameter(torch.empty(dim, dim))
        self.Mo = nn.Parameter(torch.empty(dim, dim))
        for p in self.parameters():
            nn.init.xavier_uniform_(p)

    def decoupe(self, t):
        lot, n, c = t.shape
        return t.view(lot, n, self.tetes, c // self.tetes).transpose(1, 2)

    def forward(self, x):
        lot, n, c = x.shape
        q = self.decoupe(x @ self.Mq)
        k = self.decoupe(x @ self.Mk)
        v = self.decoupe(x @ self.Mv)
        scores = q @ k.transpose(-2, -1) / math.sqrt(c // self.tetes)
        masque = torch.tril(torch.ones(n, n, dtype=x.dtype, device=x.device))
        poids = torch.softmax(scores, dim=-1) * masque
        y = (poids @ v).transpose(1, 2).contiguous().view(lot, n, c)
        return y @ self.Mo
