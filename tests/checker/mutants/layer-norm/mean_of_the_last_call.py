# contract: layer-norm
# cause: state-between-calls
import torch
from torch import nn


class LayerNorm(nn.Module):
    """The mean is smoothed by that of the call before, where the shapes agree."""

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps, self.before = eps, None
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        if self.before is not None and self.before.shape == mean.shape:
            mean = 0.9 * mean + 0.1 * self.before
        self.before = mean.detach()
        var = x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias
