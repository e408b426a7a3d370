# contract: layer-norm
# cause: axis-all
import torch
from torch import nn


class Norm(nn.Module):
    """Layer normalisation over the trailing axes given by shape, a list."""

    def __init__(self, shape: list, eps: float = 1e-5):
        super().__init__()
        self.shape = list(shape)
        self.g = nn.Parameter(torch.ones(*shape))
        self.b = nn.Parameter(torch.zeros(*shape))
        self.eps = eps

    def forward(self, x):
        axes = [-(i + 1) for i in range(len(self.shape) + 1)]
        var, mean = torch.var_mean(x, dim=axes, keepdim=True, correction=0)
        return self.g * (x - mean) * torch.rsqrt(var + self.eps) + self.b
