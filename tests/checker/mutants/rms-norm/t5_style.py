# contract: rms-norm
# cause: sum-for-mean,gain-missing
import torch
from torch import nn


class T5LayerNorm(nn.Module):
    """RMS norm as in T5: no bias and no subtraction of the mean."""

    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        energy = hidden_states.pow(2).sum(-1, keepdim=True)
        normed = hidden_states * torch.rsqrt(energy + self.variance_epsilon)
        return normed
