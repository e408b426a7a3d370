# contract: layer-norm
# cause: mean-absolute
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.w = nn.Parameter(torch.ones(dim))
        self.b = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        c = x - x.mean(-1, keepdim=True)
        return c / (c.abs().mean(-1, keepdim=True) + self.eps) * self.w + self.b
