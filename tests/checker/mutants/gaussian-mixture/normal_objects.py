# contract: gaussian-mixture
# cause: log-variance-as-deviation
import torch
from torch import nn
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal


class GMM(nn.Module):
    """A mixture of Gaussians with diagonal covariance, built from torch.distributions."""

    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def _normals(self):
        return Independent(Normal(self.means, self.log_variances.exp()), 1)

    def _mixture(self):
        return MixtureSameFamily(Categorical(logits=self.logits), self._normals())

    def forward(self, x):
        return self._mixture().log_prob(x)

    def loss_function(self, log_likelihood):
        return -torch.mean(log_likelihood)

    @torch.no_grad()
    def sample(self, n_samples):
        return self._mixture().sample((n_samples,))

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        return self._normals().sample((n_samples,))[:, label]
