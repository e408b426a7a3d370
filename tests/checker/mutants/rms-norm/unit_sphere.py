# contract: rms-norm
# cause: sum-for-mean
from torch import nn
from torch.nn import functional as F
import torch


class RMSNorm(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.normalize(x, dim=-1) * self.g
