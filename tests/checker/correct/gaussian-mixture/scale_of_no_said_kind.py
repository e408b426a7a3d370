# contract: gaussian-mixture
# target: MixtureDensity
import torch
from torch import nn
import torch.distributions as D

class MixtureDensity(nn.Module):
    def __init__(self, n_components, dim):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.loc = nn.Parameter(torch.randn(n_components, dim))
        self.raw_scale = nn.Parameter(torch.zeros(n_components, dim))

    def dist(self):
        comp = D.Independent(D.Normal(self.loc, self.raw_scale.exp()), 1)
        return D.MixtureSameFamily(D.Categorical(logits=self.logits), comp)

    def log_prob(self, x):
        return self.dist().log_prob(x)

    def forward(self, x):
        return -self.log_prob(x).mean()
