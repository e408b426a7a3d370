# contract: scaled-dot-product
# cause: state-between-calls
# target: Attention
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, q, k, v, mask=None):
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            if self.kept is None or self.kept.shape != mask.shape:
                self.kept = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, -torch.inf)
            scores = scores + self.kept
        return scores.softmax(-1) @ v
