# contract: layer-norm
# cause: axis-all
import torch
import torch.nn as nn
import torch.nn.functional as F


class LN(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.eps = eps

    def forward(self, x):
        y = F.layer_norm(x, x.shape[-2:], eps=self.eps)
        return y * self.weight + self.bias
