# contract: gaussian-mixture
# cause: logdet-half-missing
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.n_components, self.dim = n_components, dim
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        diff = x[:, None, :] - self.means[None]
        maha = (diff**2 / self.log_variances.exp()).sum(-1)
        log_prob = -0.5 * maha - 0.5 * self.dim * math.log(2 * math.pi) - self.log_variances.sum(-1)
        return torch.logsumexp(log_prob + torch.log_softmax(self.logits, 0), dim=1)

    def loss(self, x):
        return -self(x).mean()

    def conditional_sample(self, n, k):
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n, self.dim)

    def sample(self, n):
        k = torch.multinomial(torch.softmax(self.logits, 0), n, replacement=True)
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n, self.dim)
