"""A decoder's self-attention, from the inside out."""

import math

import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads, length=512, dropout=0.0):
        super().__init__()
        self.heads, self.rate = heads, dropout
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("past", torch.ones(length, length).tril().bool(), persistent=False)

    def split(self, x):
        samples, tokens, width = x.shape
        return x.view(samples, tokens, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x):
        tokens = x.shape[1]
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        seen = self.past[:tokens, :tokens]
        scores = scores.masked_fill(~seen, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        y = self.drop(weights) @ v
        return self.out(y.transpose(1, 2).flatten(2))
