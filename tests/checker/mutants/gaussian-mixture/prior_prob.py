# contract: gaussian-mixture
# cause: weights-not-logged
import torch
from torch import nn
from torch.distributions import Normal


class GMM(nn.Module):
    def __init__(self, n_components: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    @property
    def stddev(self):
        return torch.exp(self.log_variances * 0.5)

    def forward(self, x):
        log_cond = Normal(self.means, self.stddev).log_prob(x.unsqueeze(-2)).sum(-1)
        prior = nn.functional.softmax(self.logits, dim=-1)
        return torch.logsumexp(prior + log_cond, dim=-1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean(dim=0)

    def sample(self, n_samples):
        idx = torch.multinomial(nn.functional.softmax(self.logits, dim=-1), n_samples, True)
        return Normal(self.means[idx], self.stddev[idx]).sample()

    def conditional_sample(self, n_samples, label):
        return Normal(self.means[label], self.stddev[label]).sample((n_samples,))
