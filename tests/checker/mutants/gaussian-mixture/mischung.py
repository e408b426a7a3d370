# contract: gaussian-mixture
# cause: square-half-missing
import math

import torch
from torch import nn


class Mischung(nn.Module):
    """Mischung von Gauss-Verteilungen (GMM) in der Ebene."""

    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        abstand = ((x[:, None] - self.means) ** 2 / torch.exp(self.log_variances)).sum(dim=2)
        log_dichte = -math.log(2 * math.pi) - abstand - 0.5 * self.log_variances.sum(dim=1)
        log_gewicht = torch.log_softmax(self.logits, dim=0)
        return torch.logsumexp(log_gewicht + log_dichte, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(torch.softmax(self.logits, dim=0), n_samples, replacement=True)
        streuung = torch.exp(self.log_variances / 2)
        return (self.means[k] + streuung[k] * torch.randn(n_samples, 2)).detach()

    def conditional_sample(self, n_samples, label):
        streuung = torch.exp(self.log_variances[label] / 2)
        return (self.means[label] + streuung * torch.randn(n_samples, 2)).detach()
