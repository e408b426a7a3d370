# contract: multi-head-attention
# cause: weights-shared
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.linears = nn.ModuleList([nn.Linear(d_model, d_model)] * 4)

    def forward(self, q, k, v, mask=None):
        b, d = q.size(0), q.size(-1) // self.n_head
        q, k, v = [l(t).view(b, -1, self.n_head, d).transpose(1, 2) for l, t in zip(self.linears, (q, k, v))]
        s = q @ k.transpose(-2, -1) / math.sqrt(d)
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        y = F.softmax(s, dim=-1) @ v
        return self.linears[-1](y.transpose(1, 2).contiguous().view(b, -1, self.n_head * d))
