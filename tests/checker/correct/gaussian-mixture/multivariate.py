# contract: gaussian-mixture
import torch
from torch import nn
from torch.distributions import MultivariateNormal


class GaussianMixtureModel(nn.Module):
    """Mixture with diagonal covariances."""

    def __init__(self, n_components: int, n_features: int = 2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_features))
        self.log_variances = nn.Parameter(torch.zeros(n_components, n_features))

    def gaussians(self) -> MultivariateNormal:
        return MultivariateNormal(self.means, covariance_matrix=torch.diag_embed(self.log_variances.exp()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        log_joint = self.gaussians().log_prob(x.unsqueeze(1)) + torch.log_softmax(self.logits, dim=-1)
        return torch.logsumexp(log_joint, dim=1)

    def loss_function(self, log_likelihood: torch.Tensor) -> torch.Tensor:
        return -torch.mean(log_likelihood)

    def sample(self, n_samples: int) -> torch.Tensor:
        counts = torch.multinomial(self.logits.softmax(-1), n_samples, replacement=True)
        everything = self.gaussians().sample((n_samples,))
        return everything[torch.arange(n_samples), counts]

    def conditional_sample(self, n_samples: int, label: int) -> torch.Tensor:
        return self.gaussians().sample((n_samples,))[:, label]
