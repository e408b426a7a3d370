# contract: gaussian-mixture
# cause: sample-weights-ignored
import math

import torch
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components, n_dims=2):
        super().__init__()
        self.K, self.D = n_components, n_dims
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_dims))
        self.log_variances = nn.Parameter(torch.zeros(n_components, n_dims))

    def forward(self, x):
        x = x.view(-1, 1, self.D)
        log_det = self.log_variances.sum(-1)
        m = ((x - self.means) / torch.exp(0.5 * self.log_variances)).pow(2).sum(-1)
        log_pxk = -0.5 * (self.D * math.log(2 * math.pi) + log_det + m)
        log_pk = nn.functional.log_softmax(self.logits, dim=-1)
        return torch.logsumexp(log_pk + log_pxk, dim=-1)

    def loss_function(self, log_likelihood):
        return -torch.mean(log_likelihood)

    def sample(self, n_samples):
        k = torch.randint(0, self.K, (n_samples,))
        return self.draw(k)

    def conditional_sample(self, n_samples, label):
        return self.draw(torch.full((n_samples,), label))

    @torch.no_grad()
    def draw(self, k):
        return self.means[k] + torch.randn(len(k), self.D) * torch.exp(0.5 * self.log_variances[k])
