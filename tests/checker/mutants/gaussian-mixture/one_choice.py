# contract: gaussian-mixture
# cause: sample-one-component
import torch
import torch.nn as nn
import torch.distributions as dist


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def _mixture(self):
        mix = dist.Categorical(logits=self.logits)
        comp = dist.MultivariateNormal(
            self.means, covariance_matrix=torch.diag_embed(self.log_variances.exp())
        )
        return dist.MixtureSameFamily(mix, comp)

    def forward(self, x):
        return self._mixture().log_prob(x)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = dist.Categorical(logits=self.logits).sample()
        return self.conditional_sample(n_samples, k)

    def conditional_sample(self, n_samples, label):
        std = torch.exp(0.5 * self.log_variances[label])
        return self.means[label] + std * torch.randn(n_samples, 2)
