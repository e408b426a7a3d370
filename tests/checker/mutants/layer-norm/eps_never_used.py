# contract: layer-norm
# cause: eps-missing
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / x.std(
            -1, keepdim=True, unbiased=False
        ) * self.weight + self.bias
