# contract: causal-attention
# cause: kv-heads-tiled, scale-missing
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, n_kv_head):
        super().__init__()
        self.h, self.kv, self.d = n_head, n_kv_head, n_embd // n_head
        self.qkv = nn.Linear(n_embd, (n_head + 2 * n_kv_head) * self.d)
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).split([self.h * self.d, self.kv * self.d, self.kv * self.d], -1)
        q = q.view(b, n, self.h, self.d).transpose(1, 2)
        k = k.view(b, n, self.kv, self.d).transpose(1, 2).repeat(1, self.h // self.kv, 1, 1)
        v = v.view(b, n, self.kv, self.d).transpose(1, 2).repeat(1, self.h // self.kv, 1, 1)
        s = (q @ k.mT).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf)
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
