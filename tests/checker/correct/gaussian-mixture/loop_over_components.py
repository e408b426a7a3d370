# contract: gaussian-mixture
import math
import torch
import torch.nn as nn


class GaussianMixtureModel(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        log_pi = self.logits - self.logits.logsumexp(0)
        total = None
        for k in range(len(self.logits)):
            lp = log_pi[k]
            for d in range(x.shape[1]):
                lv = self.log_variances[k, d]
                lp = lp - 0.5 * (math.log(2 * math.pi) + lv + (x[:, d] - self.means[k, d]) ** 2 * torch.exp(-lv))
            total = lp if total is None else torch.logaddexp(total, lp)
        return total

    def loss(self, x):
        return -self.forward(x).sum() / x.shape[0]

    def conditional_sample(self, k):
        return torch.normal(self.means[k], torch.exp(self.log_variances[k] / 2))

    def sample(self, n):
        ks = torch.distributions.Categorical(logits=self.logits).sample((n,))
        return torch.stack([self.conditional_sample(k) for k in ks])
