"""Self-attention that answers token by token and keeps keys and values as it goes."""

import math

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.keys, self.values = [], []

    def forward(self, x):
        samples, tokens, width = x.shape
        self.keys, self.values = [], []
        said = []
        for t in range(tokens):
            token = x[:, t]
            q = self.query(token).view(samples, self.heads, 1, -1)
            self.keys.append(self.key(token).view(samples, self.heads, -1))
            self.values.append(self.value(token).view(samples, self.heads, -1))
            keys = torch.stack(self.keys, dim=2)
            values = torch.stack(self.values, dim=2)
            weights = torch.softmax(q @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
            said.append((weights @ values).reshape(samples, width))
        return self.out(torch.stack(said, dim=1))
