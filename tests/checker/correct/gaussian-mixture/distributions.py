# contract: gaussian-mixture
import torch
from torch import distributions as D
from torch import nn


class GMM(nn.Module):
    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def parts(self):
        return D.Independent(D.Normal(self.means, torch.exp(0.5 * self.log_variances)), 1)

    def mixture(self):
        return D.MixtureSameFamily(D.Categorical(logits=self.logits), self.parts())

    def forward(self, x):
        return self.mixture().log_prob(x)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    @torch.no_grad()
    def sample(self, n_samples):
        return self.mixture().sample((n_samples,))

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        return self.parts().sample((n_samples,))[:, label]
