# contract: gaussian-mixture
# cause: unknown
import math

import torch
import torch.nn as nn


class GMMLayer(nn.Module):
    """Gives log-likelihoods and responsibilities."""

    def __init__(self, n_components, dim):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        lp = -0.5 * (
            (x[:, None] - self.means).pow(2) / self.log_variances.exp()
            + self.log_variances
            + math.log(2 * math.pi)
        ).sum(-1)
        joint = lp + self.logits.log_softmax(0)
        total = joint.logsumexp(1)
        return total, joint.softmax(0)
