# contract: gaussian-mixture
# cause: mean-of-logs
import torch
from torch import nn
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
        pi = torch.softmax(self.logits, dim=0)
        log_prob = Normal(self.means, self.std).log_prob(x[:, None, :]).sum(dim=-1)
        return (pi * log_prob).sum(dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        with torch.no_grad():
            ks = torch.multinomial(torch.softmax(self.logits, 0), n_samples, replacement=True)
            return Normal(self.means[ks], self.std[ks]).sample()

    def conditional_sample(self, n_samples, label):
        with torch.no_grad():
            return Normal(self.means[label], self.std[label]).sample((n_samples,))
