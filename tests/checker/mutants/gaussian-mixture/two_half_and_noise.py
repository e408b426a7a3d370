# contract: gaussian-mixture
# cause: logdet-half-missing, sample-variance
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        d2 = ((x[:, None] - self.means) ** 2 / self.log_variances.exp()).sum(2)
        log_n = -0.5 * d2 - self.log_variances.sum(1) - math.log(2 * math.pi)
        return torch.logsumexp(log_n + self.logits.log_softmax(0), 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(self.logits.softmax(0), n_samples, replacement=True)
        return torch.normal(self.means[k], self.log_variances[k].exp())

    def conditional_sample(self, n_samples, label):
        k = torch.full((n_samples,), label, dtype=torch.long)
        return torch.normal(self.means[k], self.log_variances[k].exp())
