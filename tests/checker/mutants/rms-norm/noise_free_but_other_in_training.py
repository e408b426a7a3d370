# contract: rms-norm
# cause: training-only
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        axis = (0, 1, 2) if self.training else -1
        return x * torch.rsqrt(x.pow(2).mean(axis, keepdim=True) + self.eps) * self.weight
