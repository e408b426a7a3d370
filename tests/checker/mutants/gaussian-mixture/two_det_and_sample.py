# contract: gaussian-mixture
# cause: logdet-half-missing, sample-variance
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        d = self.means.size(1)
        quad = ((x[:, None] - self.means) ** 2 / self.log_variances.exp()).sum(-1)
        lp = -self.log_variances.sum(-1) - 0.5 * d * math.log(2 * math.pi) - 0.5 * quad
        return torch.logsumexp(lp + self.logits.log_softmax(0), dim=-1)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        k = torch.multinomial(self.logits.softmax(0), n, replacement=True)
        return torch.normal(self.means[k], self.log_variances[k].exp())

    def conditional_sample(self, n, k):
        return torch.normal(self.means[k].repeat(n, 1), self.log_variances[k].exp().repeat(n, 1))
