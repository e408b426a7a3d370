# contract: gaussian-mixture
# cause: sum-over-samples
import torch
from torch import nn
from math import log, pi


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        lw = torch.log_softmax(self.logits, 0)
        m, lv = self.means[None], self.log_variances[None]
        per_axis = log(2 * pi) + lv + (x[:, None] - m) ** 2 / lv.exp()
        ll = -0.5 * per_axis.sum(2)
        return torch.logsumexp(ll + lw[None], 0)

    def loss_function(self, log_likelihood):
        return -torch.mean(log_likelihood)

    def sample(self, n_samples):
        p = torch.softmax(self.logits, 0)
        k = torch.multinomial(p, n_samples, replacement=True)
        return torch.normal(self.means[k], (self.log_variances[k] / 2).exp())

    def conditional_sample(self, n_samples, label):
        m = self.means[label].expand(n_samples, -1)
        s = (self.log_variances[label] / 2).exp().expand(n_samples, -1)
        return torch.normal(m, s)
