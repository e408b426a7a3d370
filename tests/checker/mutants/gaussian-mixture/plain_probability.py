# contract: gaussian-mixture
# cause: underflow
import math

import torch
from torch import nn


class MixtureOfGaussians(nn.Module):
    def __init__(self, n_components, n_features=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_features))
        self.log_variances = nn.Parameter(torch.zeros(n_components, n_features))

    def density(self, x):
        var = self.log_variances.exp()
        z = (x[:, None, :] - self.means) ** 2 / var
        norm = torch.sqrt((2 * math.pi * var).prod(-1))
        return torch.exp(-0.5 * z.sum(-1)) / norm

    def forward(self, x):
        pi = torch.softmax(self.logits, -1)
        return torch.log((pi * self.density(x)).sum(-1))

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        pi = torch.softmax(self.logits, -1)
        comp = torch.multinomial(pi, n_samples, replacement=True)
        return (
            self.means[comp]
            + torch.randn(n_samples, self.means.size(1)) * self.log_variances[comp].exp().sqrt()
        )

    def conditional_sample(self, n_samples, label):
        return (
            self.means[label]
            + torch.randn(n_samples, self.means.size(1)) * self.log_variances[label].exp().sqrt()
        )
