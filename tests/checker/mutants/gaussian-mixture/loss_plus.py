# contract: gaussian-mixture
# cause: loss-sign
import torch
import torch.nn as nn
import torch.distributions as D


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def dist(self):
        comp = D.Independent(D.Normal(self.means, (0.5 * self.log_variances).exp()), 1)
        return D.MixtureSameFamily(D.Categorical(logits=self.logits), comp)

    def forward(self, x):
        return self.dist().log_prob(x)

    def loss(self, x):
        return self.forward(x).mean()

    def sample(self, n):
        return self.dist().sample((n,))

    def conditional_sample(self, n, k):
        return D.Normal(self.means[k], (0.5 * self.log_variances[k]).exp()).sample((n,))
