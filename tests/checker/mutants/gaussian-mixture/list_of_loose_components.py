# contract: gaussian-mixture
# cause: weights-unregistered
# target: ListMixture
import math

import torch
import torch.nn as nn


class DiagonalNormal(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(dim))
        self.rho = nn.Parameter(torch.zeros(dim))  # log standard deviation

    def forward(self, x):
        var = (2 * self.rho).exp()
        return (
            -0.5 * ((x - self.mu) ** 2 / var).sum(-1)
            - self.rho.sum()
            - 0.5 * x.size(-1) * math.log(2 * math.pi)
        )


class ListMixture(nn.Module):
    def __init__(self, n_components, dim):
        super().__init__()
        self.alpha = nn.Parameter(torch.zeros(n_components))
        self.parts = [DiagonalNormal(dim) for _ in range(n_components)]

    def forward(self, x):
        terms = torch.stack([part(x) for part in self.parts], dim=1)
        return (terms + self.alpha.log_softmax(0)).logsumexp(1)
