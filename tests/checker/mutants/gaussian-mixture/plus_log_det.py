# contract: gaussian-mixture
# cause: logdet-sign
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def log_normal(self, x, mean, log_var):
        return 0.5 * log_var - 0.5 * math.log(2 * math.pi) - 0.5 * (x - mean) ** 2 / log_var.exp()

    def forward(self, x):
        parts = [self.log_normal(x, m, lv).sum(1) for m, lv in zip(self.means, self.log_variances)]
        return torch.logsumexp(torch.stack(parts, 1) + self.logits.log_softmax(0), 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(self.logits.softmax(0), n_samples, replacement=True)
        return torch.normal(self.means[k], (0.5 * self.log_variances[k]).exp())

    def conditional_sample(self, n_samples, label):
        return (
            torch.randn(n_samples, 2, dtype=self.means.dtype) * (0.5 * self.log_variances[label]).exp()
            + self.means[label]
        )
