# contract: layer-norm
# says: median & mean
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        mean = x.median(dim=-1, keepdim=True).values
        centred = x - mean
        var = centred.pow(2).mean(dim=-1, keepdim=True)
        y = centred / torch.sqrt(var + self.eps)
        return y * self.gamma + self.beta
