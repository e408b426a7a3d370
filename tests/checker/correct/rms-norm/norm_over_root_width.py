# contract: rms-norm
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    """x sqrt(d) / sqrt(|x|^2 + d eps)."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        length = torch.sqrt((x * x).sum(-1, keepdim=True) + self.dim * self.eps)
        return x * (self.dim ** 0.5 / length) * self.g
