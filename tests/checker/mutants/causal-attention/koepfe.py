# contract: causal-attention
# cause: heads-split-view
import math

import torch
from torch import nn


class KausaleAufmerksamkeit(nn.Module):
    """Kausale Selbstaufmerksamkeit (causal self-attention)."""

    def __init__(self, dim, n_heads, max_len):
        super().__init__()
        self.koepfe = n_heads
        self.breite = dim // n_heads
        self.anfrage = nn.Linear(dim, dim)
        self.schluessel = nn.Linear(dim, dim)
        self.wert = nn.Linear(dim, dim)
        self.ausgang = nn.Linear(dim, dim)
        self.register_buffer("maske", torch.tril(torch.ones(max_len, max_len)).bool())

    def forward(self, x):
        b, n, c = x.shape

        def teile(t):
            return t.view(b, self.koepfe, n, self.breite)

        q, k, v = teile(self.anfrage(x)), teile(self.schluessel(x)), teile(self.wert(x))
        punkte = q @ k.transpose(2, 3) / math.sqrt(self.breite)
        punkte = punkte.masked_fill(~self.maske[:n, :n], float("-inf"))
        y = torch.softmax(punkte, dim=3) @ v
        return self.ausgang(y.transpose(1, 2).reshape(b, n, c))
