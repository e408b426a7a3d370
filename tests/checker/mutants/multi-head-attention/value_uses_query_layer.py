# contract: multi-head-attention
# cause: value-is-query
import torch
import torch.nn as nn
import torch.nn.functional as F


class MHA(nn.Module):
    def __init__(self, embed_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.Wq = nn.Linear(embed_dim, embed_dim)
        self.Wk = nn.Linear(embed_dim, embed_dim)
        self.Wv = nn.Linear(embed_dim, embed_dim)
        self.Wo = nn.Linear(embed_dim, embed_dim)

    def split(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x):
        q = self.split(self.Wq(x))
        k = self.split(self.Wk(x))
        v = self.split(self.Wq(x))
        y = F.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1) @ v
        return self.Wo(y.transpose(1, 2).flatten(2))
