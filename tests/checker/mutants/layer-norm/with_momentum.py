# contract: layer-norm
# cause: state-between-calls
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, width, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(1))
        self.register_buffer("running_var", torch.ones(1))

    def forward(self, x):
        if self.training:
            mean = x.mean(-1, keepdim=True)
            var = x.var(-1, unbiased=False, keepdim=True)
            with torch.no_grad():
                self.running_mean += self.momentum * (mean.mean() - self.running_mean)
                self.running_var += self.momentum * (var.mean() - self.running_var)
        else:
            mean, var = self.running_mean, self.running_var
        x = (x - mean) / torch.sqrt(var + self.eps)
        return self.weight * x + self.bias
