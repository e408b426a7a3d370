# contract: gaussian-mixture
# cause: log-variance-as-deviation
import torch
import torch.nn as nn
from torch.distributions import Normal


class GaussianMixture(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.dim = dim
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        normal = Normal(self.means, self.log_variances.exp())
        log_p = normal.log_prob(x[:, None]).sum(-1)
        return torch.logsumexp(self.logits.log_softmax(-1) + log_p, -1)

    def loss(self, x):
        return -self.forward(x).mean()

    def sample(self, n):
        k = torch.multinomial(self.logits.softmax(-1), n, replacement=True)
        return self.means[k] + (0.5 * self.log_variances[k]).exp() * torch.randn(n, self.dim)

    def conditional_sample(self, n, k):
        return self.means[k] + (0.5 * self.log_variances[k]).exp() * torch.randn(n, self.dim)
