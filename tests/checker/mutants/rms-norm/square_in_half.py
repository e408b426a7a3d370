# contract: rms-norm
# cause: half-precision
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        if x.dtype in (torch.float16, torch.bfloat16):
            return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + self.eps) * self.weight
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight
