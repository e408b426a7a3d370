# contract: gaussian-mixture
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MoG(nn.Module):
    """Diagonal mixture with softplus scales."""

    def __init__(self, k: int, d: int):
        super().__init__()
        self.raw_weights = nn.Parameter(torch.zeros(k))
        self.centers = nn.Parameter(torch.randn(k, d))
        self.raw_scale = nn.Parameter(torch.zeros(k, d))

    @property
    def scale(self):
        return F.softplus(self.raw_scale) + 1e-3

    def log_prob(self, x):
        z = (x[:, None] - self.centers) / self.scale
        comp = -0.5 * z.pow(2).sum(-1) - self.scale.log().sum(-1) - 0.5 * x.shape[-1] * math.log(2 * math.pi)
        return torch.logsumexp(comp + torch.log_softmax(self.raw_weights, 0), 1)

    def forward(self, x):
        return self.log_prob(x)
