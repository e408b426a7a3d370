# contract: gaussian-mixture
# cause: underflow
import math

import torch
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super(GMM, self).__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        pi = torch.softmax(self.logits, dim=0)
        log_n = 0
        for axis in range(2):
            diff = x[:, axis].unsqueeze(1) - self.means[:, axis]
            lv = self.log_variances[:, axis]
            log_n = log_n - 0.5 * (math.log(2 * math.pi) + lv + diff**2 / lv.exp())
        return torch.log(torch.sum(pi * torch.exp(log_n), dim=1))

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        pi = torch.softmax(self.logits, dim=0)
        idx = torch.multinomial(pi, n_samples, replacement=True)
        eps = torch.randn(n_samples, 2)
        return (self.means[idx] + eps * torch.exp(self.log_variances[idx] * 0.5)).detach()

    def conditional_sample(self, n_samples, label):
        eps = torch.randn(n_samples, 2)
        return (self.means[label] + eps * torch.exp(self.log_variances[label] * 0.5)).detach()
