# contract: layer-norm
# cause: unknown
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        mid = x.median(-1, keepdim=True).values
        var = x.var(-1, keepdim=True, unbiased=False)
        return (x - mid) / torch.sqrt(var + self.eps) * self.weight + self.bias
