# contract: gaussian-mixture
import torch
import torch.nn as nn
from torch.distributions import Categorical, MultivariateNormal


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    @property
    def components(self):
        return MultivariateNormal(self.means, torch.diag_embed(self.log_variances.exp()))

    def forward(self, x):
        return torch.logsumexp(self.components.log_prob(x.unsqueeze(-2)) + self.logits.log_softmax(-1), dim=-1)

    def loss(self, x):
        return self(x).mean().neg()

    def sample(self, n):
        k = Categorical(logits=self.logits).sample((n,))
        return MultivariateNormal(self.means[k], torch.diag_embed(self.log_variances[k].exp())).sample()

    def conditional_sample(self, n, k):
        return MultivariateNormal(self.means[k], torch.diag(self.log_variances[k].exp())).sample((n,))
