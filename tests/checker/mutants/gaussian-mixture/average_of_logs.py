# contract: gaussian-mixture
# cause: mean-of-logs
import math
import torch
import torch.nn as nn


class MixtureOfGaussians(nn.Module):
    def __init__(self, n_components, n_dims=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_dims))
        self.log_variances = nn.Parameter(torch.zeros(n_components, n_dims))

    def forward(self, x):
        weights = torch.softmax(self.logits, dim=0)
        total = 0
        for k in range(len(weights)):
            var = self.log_variances[k].exp()
            log_n = -0.5 * ((x - self.means[k]) ** 2 / var + var.log() + math.log(2 * math.pi)).sum(1)
            total = total + weights[k] * log_n
        return total

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(torch.softmax(self.logits, dim=0), n_samples, replacement=True)
        return self.means[k] + self.log_variances[k].exp().sqrt() * torch.randn_like(self.means[k])

    def conditional_sample(self, n_samples, label):
        m = self.means[label].expand(n_samples, -1)
        return m + self.log_variances[label].exp().sqrt() * torch.randn_like(m)
