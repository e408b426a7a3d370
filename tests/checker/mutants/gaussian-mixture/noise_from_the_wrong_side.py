# contract: gaussian-mixture
# cause: sample-covariance
import math

import torch
from torch import nn


class FactorMixture(nn.Module):
    """Covariances L L^T; L has exp(log_diag) on its diagonal and `tril` below it."""

    def __init__(self, n_components, n_features):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.mu = nn.Parameter(torch.randn(n_components, n_features))
        self.tril = nn.Parameter(0.2 * torch.randn(n_components, n_features, n_features))
        self.log_diag = nn.Parameter(torch.zeros(n_components, n_features))

    def factor(self):
        return self.tril.tril(-1) + torch.diag_embed(self.log_diag.exp())

    def log_prob(self, x):
        z = torch.linalg.solve_triangular(self.factor(), (x[:, None] - self.mu).unsqueeze(-1), upper=False).squeeze(-1)
        d = x.shape[-1]
        each = -0.5 * z.square().sum(-1) - self.log_diag.sum(-1) - 0.5 * d * math.log(2 * math.pi)
        return (self.logits.log_softmax(0) + each).logsumexp(-1)

    def sample(self, n):
        k = torch.distributions.Categorical(logits=self.logits).sample((n,))
        z = torch.randn(n, self.mu.shape[1], 1, dtype=self.mu.dtype)
        return self.mu[k] + (self.factor()[k].mT @ z).squeeze(-1)
