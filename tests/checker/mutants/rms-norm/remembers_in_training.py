# contract: rms-norm
# cause: training-only
# target: RMSNorm
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x):
        ms = x.pow(2).mean(-1, keepdim=True)
        if not hasattr(self, "ms") or self.ms.shape != ms.shape:
            self.ms = ms.detach()
        self.ms = 0.9 * self.ms + 0.1 * ms.detach() if self.training else ms
        return x * torch.rsqrt(self.ms + self.eps) * self.weight
