# contract: gaussian-mixture
# cause: log-variance-as-deviation
import torch
from torch import nn
import torch.distributions as D


class GMM(nn.Module):
    """Mixture of axis-aligned Gaussians in the plane."""

    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def distribution(self) -> D.MixtureSameFamily:
        parts = D.Independent(D.Normal(self.means, self.log_variances.exp()), 1)
        return D.MixtureSameFamily(D.Categorical(logits=self.logits), parts)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.distribution().log_prob(x)

    def loss_function(self, log_likelihood: torch.Tensor) -> torch.Tensor:
        return -log_likelihood.mean()

    def sample(self, n_samples: int) -> torch.Tensor:
        return self.distribution().sample((n_samples,))

    def conditional_sample(self, n_samples: int, label: int) -> torch.Tensor:
        parts = self.distribution().component_distribution
        return parts.sample((n_samples,))[:, label]
