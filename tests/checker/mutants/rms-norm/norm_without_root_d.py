# contract: rms-norm
# cause: sum-for-mean
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-8):
        super().__init__()
        self.g = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        sq = torch.sum(x * x, dim=-1, keepdim=True)
        return x / torch.sqrt(sq + self.eps) * self.g
