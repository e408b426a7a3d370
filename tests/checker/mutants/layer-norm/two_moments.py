# contract: layer-norm
# cause: unknown
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, embed_dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(embed_dim))
        self.beta = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        first = x.mean(-1, keepdim=True)
        second = (x * x).mean(-1, keepdim=True)
        var = (second - first).abs()
        return (x - first) * (var + self.eps).rsqrt() * self.gamma + self.beta
