# contract: gaussian-mixture
# cause: mean-of-logs
import math
import torch
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components, seed=None):
        super().__init__()
        if seed is not None:
            torch.manual_seed(seed)
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        weights = torch.softmax(self.logits, dim=0)
        delta = x[:, None] - self.means[None]
        log_n = -0.5 * (math.log(2 * math.pi) + self.log_variances + delta**2 / self.log_variances.exp()).sum(
            -1
        )
        return (weights * log_n).sum(dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        weights = torch.softmax(self.logits, dim=0)
        c = torch.multinomial(weights, n_samples, replacement=True)
        return self.means[c] + torch.exp(0.5 * self.log_variances)[c] * torch.randn(n_samples, 2)

    def conditional_sample(self, n_samples, label):
        return self.means[label] + torch.exp(0.5 * self.log_variances)[label] * torch.randn(n_samples, 2)
