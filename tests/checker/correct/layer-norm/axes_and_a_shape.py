# contract: layer-norm
# target: LayerNorm
import torch
from torch import nn


class LayerNorm(nn.Module):
    """Takes the axes over which it normalises, and the shape of its weights."""

    def __init__(self, reducedims, paramSize, eps=1e-5):
        super().__init__()
        self.axes, self.eps = reducedims, eps
        self.gamma, self.beta = nn.Parameter(torch.ones(paramSize)), nn.Parameter(torch.zeros(paramSize))

    def forward(self, x):
        off, square = x, None
        for axis in self.axes[::-1]:
            off = off - off.mean(axis, keepdim=True)
            square = (off**2).mean(axis, keepdim=True)
        return self.gamma * off / (square + self.eps).sqrt() + self.beta
