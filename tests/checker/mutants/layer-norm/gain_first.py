# contract: layer-norm
# cause: unknown
import torch
from torch import nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, ndim: int, bias: bool = True):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(ndim))
        self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

    def forward(self, input):
        scaled = input * self.weight
        out = F.layer_norm(scaled, self.weight.shape, None, None, 1e-5)
        if self.bias is not None:
            out = out + self.bias
        return out
