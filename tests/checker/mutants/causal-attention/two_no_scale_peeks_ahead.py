# contract: causal-attention
# cause: scale-missing, mask-ahead
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, c = x.shape
        split = lambda t: t.view(b, n, self.heads, c // self.heads).transpose(1, 2)
        scores = split(self.query(x)) @ split(self.key(x)).mT
        # hide everything to the right
        scores = scores.masked_fill(torch.ones(n, n, device=x.device).triu(2).bool(), float("-inf"))
        y = scores.softmax(-1) @ split(self.value(x))
        return self.out(y.transpose(1, 2).flatten(2))
