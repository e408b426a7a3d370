# contract: layer-norm
# cause: eps-missing
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        m = x.mean(-1, keepdim=True)
        s = (x - m).pow(2).mean(-1, keepdim=True).sqrt()
        return (x - m) / s * self.weight + self.bias
