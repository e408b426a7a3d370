# contract: layer-norm
# cause: half-precision
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(dim)), nn.Parameter(torch.zeros(dim)), eps

    def forward(self, x):
        mean = (
            x.half().mean(-1, keepdim=True).to(x.dtype)
            if x.dtype == torch.float16
            else x.mean(-1, keepdim=True)
        )
        var = (x - (0 if x.dtype == torch.float16 else mean)).pow(2).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(var + self.eps) * self.weight + self.bias
