# contract: gaussian-mixture
# cause: two-pi-missing
import torch
from torch import nn


class GaussianMixture(nn.Module):
    def __init__(self, k, d=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(k))
        self.means = nn.Parameter(torch.randn(k, d))
        self.log_variances = nn.Parameter(torch.zeros(k, d))

    def forward(self, x):
        inv = (-self.log_variances).exp()
        # |x - m|^2 multiplied out
        q = (x**2) @ inv.T - 2 * x @ (self.means * inv).T + (self.means**2 * inv).sum(1)
        log_n = -0.5 * (q + self.log_variances.sum(1))
        return (log_n + self.logits.log_softmax(0)).logsumexp(1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    @torch.no_grad()
    def sample(self, n_samples):
        k = torch.multinomial(self.logits.softmax(0), n_samples, True)
        m = self.means[k]
        return m + torch.randn_like(m) * (self.log_variances[k] / 2).exp()

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        m = self.means[label].repeat(n_samples, 1)
        return m + torch.randn_like(m) * (self.log_variances[label] / 2).exp()
