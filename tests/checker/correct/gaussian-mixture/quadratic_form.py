# contract: gaussian-mixture
import math

import torch
from torch import Tensor, nn


class GaussianMixture(nn.Module):
    """The exponent as one product: x^2 with the precisions, x with the scaled means, and a constant."""

    def __init__(self, n_components: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x: Tensor) -> Tensor:
        precision = (-self.log_variances).exp()
        quad = x.square() @ precision.T - 2 * x @ (precision * self.means).T + (precision * self.means**2).sum(1)
        joint = self.logits.log_softmax(0) - math.log(2 * math.pi) - 0.5 * self.log_variances.sum(1) - 0.5 * quad
        top = joint.max(dim=1, keepdim=True).values
        return (top + (joint - top).exp().sum(dim=1, keepdim=True).log()).squeeze(1)

    def loss_function(self, log_likelihood: Tensor) -> Tensor:
        return log_likelihood.neg().mean()

    @torch.no_grad()
    def sample(self, n_samples: int) -> Tensor:
        u = torch.rand(n_samples, 1, dtype=self.logits.dtype)
        k = (u > self.logits.softmax(0).cumsum(0)[:-1]).sum(dim=1)
        return torch.normal(self.means[k], (self.log_variances[k] / 2).exp())

    @torch.no_grad()
    def conditional_sample(self, n_samples: int, label: int) -> Tensor:
        return torch.normal(self.means[label].repeat(n_samples, 1), (self.log_variances[label] / 2).exp())
