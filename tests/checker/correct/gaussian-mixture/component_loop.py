# contract: gaussian-mixture
import math

import torch
from torch import nn
from torch.nn import functional as F


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.n_components = n_components
        self.logits = nn.Parameter(torch.rand(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        log_p_k = F.log_softmax(self.logits, dim=0)
        terms = []
        for k in range(self.n_components):
            (m1, m2), (l1, l2) = self.means[k], self.log_variances[k]
            square = (x[:, 0] - m1) ** 2 / l1.exp() + (x[:, 1] - m2) ** 2 / l2.exp()
            terms.append(log_p_k[k] - math.log(2 * math.pi) - l1 / 2 - l2 / 2 - square / 2)
        return torch.logsumexp(torch.stack(terms, dim=1), dim=1)

    def loss_function(self, log_likelihood):
        return -torch.sum(log_likelihood) / log_likelihood.shape[0]

    def sample(self, n_samples):
        with torch.no_grad():
            chosen = torch.multinomial(F.softmax(self.logits, dim=0), n_samples, replacement=True)
            return torch.cat([self.conditional_sample(1, int(k)) for k in chosen])

    def conditional_sample(self, n_samples, label):
        with torch.no_grad():
            sigma = torch.sqrt(torch.exp(self.log_variances[label]))
            return self.means[label] + sigma * torch.randn(n_samples, 2)
