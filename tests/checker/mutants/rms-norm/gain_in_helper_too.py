# contract: rms-norm
# cause: gain-twice
import torch
from torch import nn


def _rms(x, weight, eps):
    x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return x * weight


class T5LayerNorm(nn.Module):
    """The norm of T5: no bias and no subtraction of the mean."""

    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.eps = eps

    def forward(self, hidden_states):
        normed = _rms(hidden_states, self.weight, self.eps)
        return self.weight * normed
