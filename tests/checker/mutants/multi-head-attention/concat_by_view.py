# contract: multi-head-attention
# cause: heads-merge-view
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h = h
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        batch, seq, emb = x.shape
        q, k, v = (
            m(x).view(batch, seq, self.h, emb // self.h).transpose(1, 2)
            for m in (self.query, self.key, self.value)
        )
        out = F.softmax(q @ k.transpose(-2, -1) / (emb // self.h) ** 0.5, -1) @ v
        return self.proj(out.contiguous().view(batch, seq, emb))
