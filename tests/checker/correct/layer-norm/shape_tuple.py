# contract: layer-norm
from typing import Sequence, Union

import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, normalized_shape: Union[int, Sequence[int]], eps: float = 1e-5, elementwise_affine: bool = True):
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.axes = tuple(range(-len(self.normalized_shape), 0))
        self.eps = eps
        if elementwise_affine:
            self.weight = nn.Parameter(torch.ones(self.normalized_shape))
            self.bias = nn.Parameter(torch.zeros(self.normalized_shape))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)

    def forward(self, x):
        var, mean = torch.var_mean(x, dim=self.axes, correction=0, keepdim=True)
        y = (x - mean) / torch.sqrt(var + self.eps)
        return y if self.weight is None else torch.addcmul(self.bias, y, self.weight)
