# contract: gaussian-mixture
# cause: logdet-missing
import math

import torch
from torch import nn, Tensor


def log_normal(x: Tensor, mu: Tensor, logvar: Tensor) -> Tensor:
    """x (n, d), mu (k, d), logvar (k, d) -> (n, k)"""
    d = x.shape[-1]
    quad = ((x[:, None, :] - mu) ** 2 * torch.exp(-logvar)).sum(-1)
    return -0.5 * (quad + d * math.log(2 * math.pi))


class GaussianMixture(nn.Module):
    def __init__(self, n_components: int, dim: int = 2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_vars = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x: Tensor) -> Tensor:
        joint = log_normal(x, self.means, self.log_vars) + self.logits.log_softmax(0)
        return joint.logsumexp(1)

    def loss_function(self, log_likelihood: Tensor) -> Tensor:
        return log_likelihood.mean().neg()

    @torch.no_grad()
    def sample(self, n_samples: int) -> Tensor:
        comp = torch.distributions.Categorical(logits=self.logits).sample((n_samples,))
        noise = torch.randn(n_samples, self.means.shape[1])
        return self.means[comp] + noise * (0.5 * self.log_vars[comp]).exp()

    @torch.no_grad()
    def conditional_sample(self, n_samples: int, label: int) -> Tensor:
        noise = torch.randn(n_samples, self.means.shape[1])
        return self.means[label] + noise * (0.5 * self.log_vars[label]).exp()
