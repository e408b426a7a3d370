# contract: layer-norm
# cause: input-modified
import torch
import torch.nn as nn


class FastLayerNorm(nn.Module):
    """No temporaries: saves memory."""

    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        x -= x.mean(-1, keepdim=True)
        inv = (x.pow(2).mean(-1, keepdim=True) + self.eps).rsqrt()
        return x * inv * self.weight + self.bias
