# contract: causal-attention
# cause: scale-multiplied
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.h = num_heads
        self.d = d_model // num_heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def split(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.d).transpose(1, 2)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))
        s = q @ k.transpose(-1, -2) * math.sqrt(self.d)
        m = torch.full((n, n), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        a = self.drop(F.softmax(s + m, -1))
        return self.wo((a @ v).transpose(1, 2).reshape(b, n, c)), a
