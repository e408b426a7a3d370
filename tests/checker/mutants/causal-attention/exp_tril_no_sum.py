# contract: causal-attention
# cause: softmax-unnormalised
import torch
import torch.nn as nn


class CausalAttn(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = (t.view(b, n, self.heads, -1) for t in (self.q(x), self.k(x), self.v(x)))
        e = torch.exp(torch.einsum("bihd,bjhd->bhij", q, k) / (w // self.heads) ** 0.5).tril()
        y = torch.einsum("bhij,bjhd->bihd", e, v).reshape(b, n, w)
        return self.proj(y)
