# contract: gaussian-mixture
import math
import torch
from torch import nn


class MischungsModell(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        spalten = []
        log_pi = self.logits - self.logits.logsumexp(0)
        for k in range(len(self.logits)):
            abstand = (x - self.means[k]) ** 2 * torch.exp(-self.log_variances[k])
            log_n = -0.5 * abstand.sum(-1) - 0.5 * self.log_variances[k].sum() - 0.5 * x.shape[-1] * math.log(2 * math.pi)
            spalten.append(log_pi[k] + log_n)
        t = torch.stack(spalten)
        groesstes = t.max(0).values
        return groesstes + torch.log(torch.exp(t - groesstes).sum(0))

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    @torch.no_grad()
    def sample(self, n_samples):
        kumuliert = torch.softmax(self.logits, 0).cumsum(0)
        u = torch.rand(n_samples, dtype=kumuliert.dtype)
        k = torch.searchsorted(kumuliert, u).clamp(max=len(self.logits) - 1)
        return self.means[k] + torch.randn_like(self.means[k]) * torch.exp(self.log_variances[k] / 2)

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        mu = self.means[label].expand(n_samples, -1)
        return mu + torch.randn_like(mu) * torch.exp(self.log_variances[label] / 2)
