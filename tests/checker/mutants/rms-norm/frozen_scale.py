# contract: rms-norm
# cause: gradient-cut
import torch
from torch import nn


def root_mean_square(x, eps):
    return x.pow(2).mean(dim=-1, keepdim=True).add(eps).sqrt()


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        denom = root_mean_square(x, self.eps).detach()
        return self.weight * (x / denom)
