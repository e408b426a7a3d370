# contract: layer-norm
import torch
from torch import nn


class LayerNorm1d(nn.Module):
    """Layer norm of (batch, channels, time), over the channels of every moment."""

    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(1, channels, 1))
        self.beta = nn.Parameter(torch.zeros(1, channels, 1))

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=1, keepdim=True, correction=0)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.gamma + self.beta
