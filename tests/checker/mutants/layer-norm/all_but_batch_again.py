# contract: layer-norm
# cause: axis-all
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-5, affine: bool = True):
        super().__init__()
        self.num_features = num_features
        self.affine = affine
        self.eps = eps
        if self.affine:
            self.gamma = nn.Parameter(torch.ones(num_features))
            self.beta = nn.Parameter(torch.zeros(num_features))

    def forward(self, x):
        shape = [-1] + [1] * (x.dim() - 1)
        flat = x.reshape(x.size(0), -1)
        mean = flat.mean(1).view(*shape)
        var = flat.var(1, unbiased=False).view(*shape)
        x = (x - mean) / torch.sqrt(var + self.eps)
        if self.affine:
            x = x * self.gamma + self.beta
        return x
