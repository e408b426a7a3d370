# contract: gaussian-mixture
# cause: weights-not-normalised
import numpy as np
import torch
from torch import Tensor, nn


class MixtureModel(nn.Module):
    """Gaussian mixture in two dimensions."""

    def __init__(self, n_components: int):
        super().__init__()
        self.logits = nn.Parameter(torch.randn(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def component_log_prob(self, x: Tensor) -> Tensor:
        d = x.shape[-1]
        maha = ((x[:, None] - self.means[None]).square() * torch.exp(-self.log_variances)).sum(-1)
        return -0.5 * (d * np.log(2 * np.pi) + self.log_variances.sum(-1) + maha)

    def forward(self, x: Tensor) -> Tensor:
        return torch.logsumexp(self.logits + self.component_log_prob(x), dim=1)

    def loss_function(self, log_likelihood: Tensor) -> Tensor:
        return -log_likelihood.mean()

    def sample(self, n_samples: int) -> Tensor:
        ks = torch.distributions.Categorical(logits=self.logits).sample((n_samples,))
        return torch.normal(self.means[ks], torch.exp(self.log_variances[ks] / 2)).detach()

    def conditional_sample(self, n_samples: int, label: int) -> Tensor:
        mean = self.means[label].expand(n_samples, -1)
        return torch.normal(mean, torch.exp(self.log_variances[label] / 2).expand(n_samples, -1)).detach()
