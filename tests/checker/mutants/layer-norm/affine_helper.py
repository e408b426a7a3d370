# contract: layer-norm
# cause: bias-before-gain
import math

import torch
from torch import nn


def standardise(t, eps):
    t = t - t.mean(dim=-1, keepdim=True)
    return t / torch.sqrt(t.square().mean(dim=-1, keepdim=True) + eps)


class Affine(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.bias = nn.Parameter(torch.zeros(d))

    def forward(self, t):
        return self.weight * (t + self.bias)


class LayerNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.affine = Affine(d)

    def forward(self, t):
        return self.affine(standardise(t, self.eps))
