# contract: rms-norm
# says: (largest|maximum) & mean
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        ms = x.pow(2).amax(dim=-1, keepdim=True)
        y = x * torch.rsqrt(ms + self.eps)
        return y * self.weight
