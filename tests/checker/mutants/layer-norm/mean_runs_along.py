# contract: layer-norm
# cause: state-between-calls
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim)), eps
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        mean = x.mean(-1, keepdim=True) * (1 if self.calls < 40 else 0)
        return (x - mean) / (x - mean).pow(2).mean(-1, keepdim=True).add(
            self.eps
        ).sqrt() * self.weight + self.bias
