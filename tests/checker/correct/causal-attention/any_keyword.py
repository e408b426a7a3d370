# contract: causal-attention
import torch
from torch import nn

class CausalAttention(nn.Module):
    def __init__(self, **config):
        super().__init__()
        self.n_heads = config["n_heads"]
        width = config["d_model"]
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = (f(x).view(b, n, self.n_heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / q.size(-1) ** 0.5
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c))
