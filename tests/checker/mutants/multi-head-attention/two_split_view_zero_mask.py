# contract: multi-head-attention
# cause: heads-split-view, mask-zero-fill
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(d_model, d_model)
        self.k = nn.Linear(d_model, d_model)
        self.v = nn.Linear(d_model, d_model)
        self.o = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        d = c // self.heads
        q, k, v = (f(x).view(b, self.heads, n, d) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(-1, -2) / d**0.5
        if mask is not None:
            mask = mask[:, None, None, :] if mask.dim() == 2 else mask
            s = s.masked_fill(~mask, 0.0)
        return self.o((F.softmax(s, -1) @ v).transpose(1, 2).reshape(b, n, c))
