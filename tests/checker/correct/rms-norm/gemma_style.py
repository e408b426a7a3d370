# contract: rms-norm
import torch
from torch import nn


class GemmaRMSNorm(nn.Module):
    """The gain is stored as its difference from one."""

    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        return self._norm(x) * (1.0 + self.weight)
