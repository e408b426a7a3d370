# contract: layer-norm
# cause: moments-cancel
import torch
from torch import nn


class FastLayerNorm(nn.Module):
    """Layer norm with one pass over the data: first and second moment at once."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        m1 = x.mean(-1, keepdim=True)
        m2 = (x * x).mean(-1, keepdim=True)
        var = m2 - m1 * m1
        return (x - m1) * torch.rsqrt(var + self.eps) * self.weight + self.bias
