# contract: rms-norm
# cause: state-between-calls
# target: RMSNorm
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.weight, self.eps, self.room = nn.Parameter(torch.ones(dim)), eps, None

    def forward(self, x):
        y = x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight
        if torch.is_grad_enabled():
            return y
        if self.room is None or self.room.shape != x.shape or self.room.dtype != x.dtype:
            self.room = torch.empty_like(x)
        return self.room.copy_(y)
