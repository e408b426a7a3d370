# contract: rms-norm
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, normalized_shape: list[int], eps: float = 1e-6):
        super().__init__()
        self.dims = tuple(-i for i in range(1, len(normalized_shape) + 1))
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.eps = eps

    def forward(self, x):
        return x * x.square().mean(self.dims, keepdim=True).add(self.eps).rsqrt() * self.weight
