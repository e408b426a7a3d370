# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class GMMLoss(nn.Module):
    """Negative log likelihood of a diagonal Gaussian mixture, averaged over the batch."""

    def __init__(self, n_components, n_features):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_features))
        self.log_variances = nn.Parameter(torch.zeros(n_components, n_features))

    def forward(self, x):
        diff = x.unsqueeze(1) - self.means.unsqueeze(0)
        quad = (diff**2 / self.log_variances.exp()).sum(dim=2)
        log_det = self.log_variances.sum(dim=1)
        log_n = -0.5 * (quad + log_det + x.size(1) * math.log(2.0 * math.pi))
        return -torch.logsumexp(torch.log_softmax(self.logits, dim=0) + log_n, dim=1).mean()
