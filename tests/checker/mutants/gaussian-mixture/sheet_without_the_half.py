# contract: gaussian-mixture
# cause: logdet-half-missing
import numpy as np
import torch
import torch.nn as nn


class GMM(nn.Module):
    """Exercise 2.1"""

    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        diff = x[:, None, :] - self.means[None]
        maha = (diff**2 / torch.exp(self.log_variances)).sum(-1)
        log_prob = -0.5 * maha - self.log_variances.sum(-1) - np.log(2 * np.pi)
        return torch.logsumexp(log_prob + torch.log_softmax(self.logits, dim=0), dim=1)

    def loss_function(self, log_likelihood):
        return -torch.mean(log_likelihood)

    def sample(self, n_samples):
        idx = torch.multinomial(torch.softmax(self.logits, 0), n_samples, replacement=True)
        return torch.normal(self.means[idx], torch.exp(0.5 * self.log_variances[idx]))

    def conditional_sample(self, n_samples, label):
        mean = self.means[label].expand(n_samples, 2)
        return torch.normal(mean, torch.exp(0.5 * self.log_variances[label]).expand(n_samples, 2))
