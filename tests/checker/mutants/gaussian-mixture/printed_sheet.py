# contract: gaussian-mixture
# cause: logdet-half-missing
import math

import torch
from torch import nn
import torch.nn.functional as F


class GMM(nn.Module):
    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        log_pk = F.log_softmax(self.logits, dim=0)
        diff = x.unsqueeze(1) - self.means
        quad = (diff**2 / self.log_variances.exp()).sum(-1)
        log_px = -math.log(2 * math.pi) - self.log_variances.sum(-1) - 0.5 * quad
        return torch.logsumexp(log_pk + log_px, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(F.softmax(self.logits, dim=0), n_samples, replacement=True)
        return self.means[k] + torch.randn(n_samples, 2) * torch.exp(0.5 * self.log_variances[k])

    def conditional_sample(self, n_samples, label):
        z = torch.randn(n_samples, 2)
        return self.means[label] + z * torch.exp(0.5 * self.log_variances[label])
