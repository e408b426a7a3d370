# contract: gaussian-mixture
# cause: sample-weights-ignored
import math
import torch
from torch import nn


class GaussMischung(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.k = n_components
        self.dim = dim
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        abstand = x.unsqueeze(1) - self.means
        praezision = torch.exp(-self.log_variances)
        log_dichte = -0.5 * torch.einsum("nkd,kd->nk", abstand**2, praezision)
        log_dichte = log_dichte - 0.5 * self.log_variances.sum(1) - 0.5 * self.dim * math.log(2 * math.pi)
        log_gewicht = self.logits - torch.logsumexp(self.logits, 0)
        return torch.logsumexp(log_gewicht + log_dichte, 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        welche = torch.randint(0, self.k, (n_samples,))
        rauschen = torch.randn(n_samples, self.dim)
        return self.means[welche] + rauschen * torch.exp(self.log_variances[welche] / 2)

    def conditional_sample(self, n_samples, label):
        rauschen = torch.randn(n_samples, self.dim)
        return self.means[label] + rauschen * torch.exp(self.log_variances[label] / 2)
