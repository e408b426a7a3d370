# contract: rms-norm
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-8):
        super().__init__()
        self.scale = dim ** -0.5
        self.eps = eps
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        rms = torch.linalg.vector_norm(x, dim=-1, keepdim=True) * self.scale
        return x / (rms + self.eps) * self.g
