# contract: causal-attention
# cause: softmax-unstable
import torch
import torch.nn as nn


def softmax(z, keep):
    e = torch.exp(z) * keep
    return e / e.sum(-1, keepdim=True)


class CausalAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.wq = nn.Linear(d_model, d_model)
        self.wk = nn.Linear(d_model, d_model)
        self.wv = nn.Linear(d_model, d_model)
        self.wo = nn.Linear(d_model, d_model)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (f(x).view(b, n, self.heads, -1).transpose(1, 2) for f in (self.wq, self.wk, self.wv))
        z = q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5
        keep = torch.ones(n, n, dtype=x.dtype, device=x.device).tril()
        y = softmax(z, keep) @ v
        return self.wo(y.transpose(1, 2).reshape(b, n, c))
