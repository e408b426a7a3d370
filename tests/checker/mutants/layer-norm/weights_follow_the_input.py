# contract: layer-norm
# cause: state-between-calls
# target: LayerNorm
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        self.to(x.dtype)
        return nn.functional.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)
