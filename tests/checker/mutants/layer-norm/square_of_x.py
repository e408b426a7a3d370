# contract: layer-norm
# cause: variance-about-zero
import torch
import torch.nn as nn


class LN(nn.Module):
    def __init__(self, n, eps=1e-5):
        super().__init__()
        self.g = nn.Parameter(torch.ones(n))
        self.b = nn.Parameter(torch.zeros(n))
        self.eps = eps

    def forward(self, x):
        u = x.mean(-1, keepdim=True)
        s = (x**2).mean(-1, keepdim=True)
        return (x - u) / (s + self.eps).sqrt() * self.g + self.b
