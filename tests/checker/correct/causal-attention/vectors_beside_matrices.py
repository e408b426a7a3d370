# contract: causal-attention
import torch
from torch import nn
from torch.nn import functional as F


class CausalAttn(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        for word in ("anna", "bruno", "clara", "dora"):
            setattr(self, word, nn.Parameter(torch.randn(width, width) * width**-0.5))
            setattr(self, f"{word}s", nn.Parameter(torch.zeros(width)))

    def forward(self, x):
        n = x.shape[1]
        pairs = ((self.anna, self.annas), (self.bruno, self.brunos), (self.clara, self.claras))
        q, k, v = (F.linear(x, w, b).unflatten(-1, (self.heads, -1)).transpose(1, 2) for w, b in pairs)
        late = torch.ones(n, n, dtype=torch.bool).triu(1)
        scores = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(late, float("-inf"))
        return F.linear((scores.softmax(-1) @ v).transpose(1, 2).flatten(2), self.dora, self.doras)
