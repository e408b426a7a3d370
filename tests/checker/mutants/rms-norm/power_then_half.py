# contract: rms-norm
# cause: divide-other-4
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        square = x.square().mean(-1, keepdim=True) + self.eps
        return x * square ** -1 / 2 * self.gain
