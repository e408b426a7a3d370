# contract: gaussian-mixture
# cause: logdet-once
import math

import torch
from torch import nn


class BallMixture(nn.Module):
    def __init__(self, n_components, n_features):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_features))
        self.log_sigma = nn.Parameter(torch.zeros(n_components))

    def log_prob(self, x):
        d = x.shape[1]
        sq = (x[:, None] - self.means).square().sum(-1) / (2 * self.log_sigma).exp()
        each = -0.5 * sq - self.log_sigma - 0.5 * d * math.log(2 * math.pi)
        t = self.logits.log_softmax(0) + each
        top = t.max(1).values
        return top + (t - top[:, None]).exp().sum(1).log()

    def sample(self, n):
        k = torch.multinomial(self.logits.softmax(0), n, replacement=True)
        return self.means[k] + self.log_sigma.exp()[k, None] * torch.randn(n, self.means.shape[1])
