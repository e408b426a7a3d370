# contract: layer-norm
import torch
from torch import nn


class WelfordLayerNorm(nn.Module):
    """Layer norm whose mean and variance are gathered feature by feature."""

    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.width, self.eps = width, eps
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = torch.zeros_like(x[..., 0])
        m2 = torch.zeros_like(x[..., 0])
        for i in range(self.width):
            delta = x[..., i] - mean
            mean = mean + delta / (i + 1)
            m2 = m2 + delta * (x[..., i] - mean)
        variance = m2 / self.width
        return (x - mean[..., None]) * torch.rsqrt(variance + self.eps)[..., None] * self.gamma + self.beta
