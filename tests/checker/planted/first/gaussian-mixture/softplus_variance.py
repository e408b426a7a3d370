# contract: gaussian-mixture
# says: softplus & (variance|exp)
import math

import torch
from torch import nn


class GaussianMixture(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        diff = x[:, None] - self.means
        square = diff**2 / nn.functional.softplus(self.log_variances)
        log_det = self.log_variances.sum(-1)
        norm = x.shape[-1] * math.log(2 * math.pi)
        log_density = -0.5 * (square.sum(-1) + log_det + norm)
        log_weight = torch.log_softmax(self.logits, dim=0)
        return torch.logsumexp(log_weight + log_density, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    @torch.no_grad()
    def sample(self, n_samples):
        k = torch.multinomial(self.logits.softmax(0), n_samples, replacement=True)
        return self.means[k] + torch.randn_like(self.means[k]) * (0.5 * self.log_variances[k]).exp()

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        m = self.means[label].expand(n_samples, -1)
        return m + torch.randn_like(m) * (0.5 * self.log_variances[label]).exp()
