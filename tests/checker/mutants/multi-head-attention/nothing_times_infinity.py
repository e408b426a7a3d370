# contract: multi-head-attention
# cause: mask-times-infinity
import torch
from torch import nn


class MaskedHeads(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(dim, dim) for _ in range(4))

    def _cut(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self._cut(self.q_proj(query)), self._cut(self.k_proj(key)), self._cut(self.v_proj(value))
        scores = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            hidden = 1 - mask[:, None, None].to(scores.dtype)
            scores = scores + hidden * -torch.inf
        return self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
