# contract: rms-norm
# cause: input-modified
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    """Norm of the inference engine; the weights are loaded from the checkpoint."""

    def __init__(self, dim, eps=1e-5):
        super(RMSNorm, self).__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        scale = x.pow(2).mean(dim=-1, keepdim=True).add(self.eps).rsqrt()
        x.mul_(scale)
        return x * self.weight
