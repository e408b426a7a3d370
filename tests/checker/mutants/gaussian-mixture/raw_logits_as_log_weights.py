# contract: gaussian-mixture
# cause: weights-not-normalised
import torch
import torch.nn as nn
from torch.distributions import Normal


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    @property
    def std(self):
        return torch.exp(self.log_variances / 2)

    def forward(self, x):
        lp = Normal(self.means, self.std).log_prob(x[:, None, :]).sum(-1)
        return torch.logsumexp(self.logits + lp, dim=-1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.distributions.Categorical(logits=self.logits).sample((n_samples,))
        return Normal(self.means[k], self.std[k]).sample()

    def conditional_sample(self, n_samples, label):
        return Normal(self.means[label], self.std[label]).sample((n_samples,))
