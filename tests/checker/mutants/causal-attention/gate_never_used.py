# contract: causal-attention
# cause: unknown
# target: CausalAttention
import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, channels, n_heads):
        super().__init__()
        self.heads = n_heads
        self.in_proj = nn.Linear(channels, 2 * channels)
        self.value_proj, self.gate_proj, self.out_proj = (nn.Linear(channels, channels) for _ in range(3))

    def forward(self, x):
        q, k = self.in_proj(x).chunk(2, -1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, self.value_proj(x)))
        later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        weights = (q @ k.mT * q.shape[-1] ** -0.5).masked_fill(later, -torch.inf).softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2))
