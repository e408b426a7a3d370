# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class GaussianMixture(nn.Module):
    def __init__(self, n_components, n_features):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(1, n_components, n_features), requires_grad=False)
        self.var = nn.Parameter(torch.ones(1, n_components, n_features), requires_grad=False)
        self.pi = nn.Parameter(torch.full((1, n_components, 1), 1.0 / n_components), requires_grad=False)

    def _log_joint(self, x):
        x = x.unsqueeze(1)
        lp = -0.5 * ((x - self.mu) ** 2 / self.var + self.var.log() + math.log(2 * math.pi)).sum(
            -1, keepdim=True
        )
        return lp + self.pi.log()

    def score_samples(self, x):
        return torch.logsumexp(self._log_joint(x), dim=1).squeeze(-1)

    def predict_proba(self, x):
        return torch.softmax(self._log_joint(x), dim=1).squeeze(-1)
