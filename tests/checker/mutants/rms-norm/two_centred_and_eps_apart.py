# contract: rms-norm
# cause: mean-subtracted
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        x = x - x.mean(dim=-1, keepdim=True)
        rms = x.square().mean(dim=-1, keepdim=True).sqrt()
        return x / (rms + self.eps) * self.weight
