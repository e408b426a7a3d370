# contract: rms-norm
# cause: root-missing
import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        dtype = hidden_states.dtype
        h = hidden_states.to(torch.float64)
        rms = torch.einsum("...d,...d->...", h, h).div(h.shape[-1]).unsqueeze(-1) + self.variance_epsilon
        return self.weight * (h / rms).to(dtype)
