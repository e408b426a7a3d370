# contract: rms-norm
# cause: gain-inside
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.w = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        x = x * self.w
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps)
