# contract: rms-norm
# cause: root-multiplied
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, dim, epsilon=1e-6):
        super(RMSNorm, self).__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.epsilon = epsilon

    def _norm(self, x):
        inv_rms = torch.rsqrt(torch.mean(x**2, dim=-1, keepdim=True) + self.epsilon)
        return x / inv_rms

    def forward(self, x):
        return self._norm(x) * self.scale
