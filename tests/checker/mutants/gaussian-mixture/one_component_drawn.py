# contract: gaussian-mixture
# cause: sample-one-component
import math

import torch
from torch import nn
from torch.nn.functional import log_softmax, softmax


class GMM(nn.Module):
    def __init__(self, n_components: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        precision = torch.exp(-self.log_variances)
        z = x.unsqueeze(1) - self.means.unsqueeze(0)
        exponent = torch.einsum("nkd,kd->nk", z.pow(2), precision)
        log_gauss = -math.log(2 * math.pi) - 0.5 * self.log_variances.sum(1) - 0.5 * exponent
        return torch.logsumexp(log_softmax(self.logits, dim=0) + log_gauss, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    @torch.no_grad()
    def sample(self, n_samples):
        weights = softmax(self.logits, dim=0)
        k = torch.multinomial(weights, 1).item()
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n_samples, 2)

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        return self.means[label] + torch.exp(0.5 * self.log_variances[label]) * torch.randn(n_samples, 2)
