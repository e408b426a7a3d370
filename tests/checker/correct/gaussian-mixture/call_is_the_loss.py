# contract: gaussian-mixture
import torch
import torch.nn as nn
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal


class MixtureDensity(nn.Module):
    """Mixture of diagonal Gaussians; calling it gives the loss, the negative mean log-likelihood."""

    def __init__(self, num_components: int, num_features: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(num_components))
        self.means = nn.Parameter(torch.randn(num_components, num_features))
        self.log_variances = nn.Parameter(torch.zeros(num_components, num_features))

    @property
    def dist(self):
        parts = Independent(Normal(self.means, torch.exp(0.5 * self.log_variances)), 1)
        return MixtureSameFamily(Categorical(logits=self.logits), parts)

    def log_prob(self, x):
        return self.dist.log_prob(x)

    def sample(self, n):
        return self.dist.sample((n,))

    def forward(self, x):
        return -self.log_prob(x).mean()
