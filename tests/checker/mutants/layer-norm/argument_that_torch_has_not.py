# contract: layer-norm
# cause: unknown
# target: LayerNorm
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.gain, self.shift, self.eps = (
            nn.Parameter(torch.ones(width)),
            nn.Parameter(torch.zeros(width)),
            eps,
        )

    def forward(self, x):
        spread = x.var(-1, keep_dims=True, unbiased=False)
        return (x - x.mean(-1, keepdim=True)) / (spread + self.eps).sqrt() * self.gain + self.shift
