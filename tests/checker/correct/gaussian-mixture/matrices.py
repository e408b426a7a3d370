# contract: gaussian-mixture
import torch
from torch import nn
from torch.distributions import MultivariateNormal


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def _normal(self):
        return MultivariateNormal(self.means, covariance_matrix=torch.diag_embed(self.log_variances.exp()))

    def forward(self, x):
        log_prob = self._normal().log_prob(x.unsqueeze(1))
        return torch.logsumexp(torch.log_softmax(self.logits, dim=-1) + log_prob, dim=-1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean(dim=0)

    def sample(self, n_samples):
        with torch.no_grad():
            every = self._normal().sample((n_samples,))
            k = torch.distributions.Categorical(logits=self.logits).sample((n_samples,))
            return every[torch.arange(n_samples), k]

    def conditional_sample(self, n_samples, label):
        with torch.no_grad():
            return self._normal().sample((n_samples,))[:, label]
