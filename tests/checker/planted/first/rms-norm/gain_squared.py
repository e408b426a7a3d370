# contract: rms-norm
# says: gain & (squar|twice)
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        ms = x.pow(2).mean(dim=-1, keepdim=True)
        y = x * torch.rsqrt(ms + self.eps)
        return y * self.weight**2
