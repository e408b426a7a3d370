# contract: rms-norm
# cause: mean-absolute
import torch
import torch.nn as nn


class RmsNorm(nn.Module):
    def __init__(self, n, eps=1e-6):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(n))
        self.eps = eps

    def forward(self, x):
        return x / (x.abs().mean(dim=-1, keepdim=True) + self.eps) * self.gamma
