# contract: gaussian-mixture
# cause: sample-variance
import math

import torch
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        var = self.log_variances.exp()
        log_normal = -0.5 * (
            math.log(2 * math.pi) + self.log_variances + (x[:, None, :] - self.means) ** 2 / var
        )
        return torch.logsumexp(torch.log_softmax(self.logits, -1) + log_normal.sum(-1), -1)

    def loss_function(self, log_likelihood):
        return log_likelihood.mean().neg()

    def sample(self, n_samples):
        std = self.log_variances.exp()
        with torch.no_grad():
            ks = torch.multinomial(self.logits.softmax(0), n_samples, replacement=True)
            return self.means[ks] + std[ks] * torch.randn_like(self.means[ks])

    def conditional_sample(self, n_samples, label):
        with torch.no_grad():
            noise = torch.randn(n_samples, 2)
            return self.means[label] + (self.log_variances[label] / 2).exp() * noise
