# contract: causal-attention
# cause: query-is-key
import torch
import torch.nn as nn


class SelfAttn(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, c = x.shape
        d = c // self.heads
        q = self.wq(x).view(b, n, self.heads, d).transpose(1, 2)
        k = self.wq(x).view(b, n, self.heads, d).transpose(1, 2)
        v = self.wv(x).view(b, n, self.heads, d).transpose(1, 2)
        s = (q @ k.mT) / d**0.5
        s = s.masked_fill(~torch.ones(n, n, device=x.device).tril().bool(), float("-inf"))
        return self.wo((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
