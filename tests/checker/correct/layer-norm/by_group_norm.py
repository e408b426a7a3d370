# contract: layer-norm
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    """Every row is a sample with one group: group norm does the rest."""

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.width, self.eps = width, eps
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        rows = x.reshape(-1, self.width)
        return F.group_norm(rows, 1, self.weight, self.bias, self.eps).view(x.shape)
