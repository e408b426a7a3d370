# contract: gaussian-mixture
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.n_components = n_components
        self.logits = nn.Parameter(torch.randn(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        precision = torch.exp(-self.log_variances)
        quad = torch.einsum('nkd,kd->nk', (x[:, None] - self.means) ** 2, precision)
        log_cond = -np.log(2 * np.pi) - 0.5 * self.log_variances.sum(1) - 0.5 * quad
        return torch.logsumexp(F.log_softmax(self.logits, dim=0) + log_cond, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        choice = F.one_hot(torch.multinomial(F.softmax(self.logits, 0), n_samples, replacement=True), self.n_components)
        choice = choice.to(self.means.dtype)
        mu = choice @ self.means
        sigma = choice @ torch.exp(0.5 * self.log_variances)
        return (mu + sigma * torch.randn(n_samples, 2).to(mu.dtype)).detach()

    def conditional_sample(self, n_samples, label):
        mu, sigma = self.means[label], torch.exp(0.5 * self.log_variances[label])
        return (mu + sigma * torch.randn(n_samples, 2).to(mu.dtype)).detach()
