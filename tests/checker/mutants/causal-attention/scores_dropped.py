# contract: causal-attention
# cause: dropout-elsewhere
# target: Attn
import torch
from torch import nn


class Attn(nn.Module):
    """decoder self-attention (causal)"""

    def __init__(self, d_model, n_heads, p=0.1):
        super().__init__()
        self.h, self.d, self.p = n_heads, d_model // n_heads, p
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.o = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (z.view(b, t, self.h, self.d).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        s = (q @ k.transpose(-1, -2)) / self.d**0.5
        s = self.drop(s).masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))
