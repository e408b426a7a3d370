# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class FullCovMixture(nn.Module):
    """Covariances as A A^T + small I."""

    def __init__(self, n_components, dim, jitter=1e-4):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.A = nn.Parameter(torch.eye(dim).repeat(n_components, 1, 1))
        self.jitter = jitter

    def covariances(self):
        eye = torch.eye(self.A.shape[-1], dtype=self.A.dtype)
        return self.A @ self.A.transpose(-1, -2) + self.jitter * eye

    def forward(self, x):
        S = self.covariances()
        diff = x[:, None, :] - self.means
        maha = torch.einsum("nki,kij,nkj->nk", diff, torch.linalg.inv(S), diff)
        lp = -0.5 * (maha + torch.logdet(S) + x.shape[-1] * math.log(2 * math.pi))
        return torch.logsumexp(lp + self.logits.log_softmax(0), dim=1)
