# contract: gaussian-mixture
# target: PlainVar
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PlainVar(nn.Module):
    """Gaussian mixture: sigma is the standard deviation itself, pi are logits."""

    def __init__(self, n_components, n_features):
        super().__init__()
        self.pi = nn.Parameter(torch.randn(n_components))
        self.mu = nn.Parameter(torch.randn(n_components, n_features))
        self.sigma = nn.Parameter(torch.ones(n_components, n_features))

    def forward(self, x):
        z = (x[:, None, :] - self.mu[None]) / self.sigma[None]
        logp = -(0.5 * z**2 + torch.log(self.sigma) + 0.5 * math.log(2 * math.pi)).sum(-1)
        return torch.logsumexp(logp + F.log_softmax(self.pi, dim=0), dim=1)
