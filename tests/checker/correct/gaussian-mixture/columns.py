# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class GMMT(nn.Module):
    """Parameters kept with the dimension first: means (d, k)."""

    def __init__(self, n_components, dim):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(dim, n_components))
        self.log_vars = nn.Parameter(torch.zeros(dim, n_components))

    def forward(self, x):
        z = (x[:, :, None] - self.means) ** 2 * torch.exp(-self.log_vars)
        lp = -0.5 * (z + self.log_vars + math.log(2 * math.pi)).sum(1)
        return torch.logsumexp(lp + self.logits.log_softmax(0), -1)
