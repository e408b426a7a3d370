# contract: scaled-dot-product
# cause: dropout-elsewhere
import torch
from torch import nn


class DotProductAttention(nn.Module):
    """Softmax attention without weights; some links are cut in training."""

    def __init__(self, dropout=0.1):
        super().__init__()
        self.p = dropout

    def forward(self, query, key, value, mask=None):
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(-1)
        if self.training:
            weights = torch.where(torch.rand_like(weights) < self.p, torch.zeros_like(weights), weights)
        return weights @ value
