# contract: layer-norm
import torch
import torch.nn as nn


class LayerNorm(nn.Module):
    """torch.var divides by n - 1; here that is put right by hand."""

    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(features))
        self.beta = nn.Parameter(torch.zeros(features))

    def forward(self, x):
        n = x.size(-1)
        var = x.var(-1, keepdim=True) * (n - 1) / n
        return torch.addcmul(self.beta, self.gamma, (x - x.mean(-1, keepdim=True)) / (var + self.eps) ** 0.5)
