# contract: gaussian-mixture
import torch
from torch import nn
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal


class GMM(nn.Module):
    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def components(self):
        return Independent(Normal(self.means, (0.5 * self.log_variances).exp()), 1)

    def mixture(self):
        return MixtureSameFamily(Categorical(logits=self.logits), self.components())

    def forward(self, x):
        return self.mixture().log_prob(x)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        return self.mixture().sample((n_samples,))

    def conditional_sample(self, n_samples, label):
        return self.components().sample((n_samples,))[:, label]
