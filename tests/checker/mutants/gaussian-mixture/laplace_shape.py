# contract: gaussian-mixture
# cause: unknown
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
        lp = -0.5 * (
            (x[:, None] - self.means).abs() / (0.5 * self.log_variances).exp()
            + self.log_variances
            + math.log(2 * math.pi)
        ).sum(-1)
        return torch.logsumexp(lp + self.logits.log_softmax(0), dim=-1)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        k = torch.multinomial(self.logits.softmax(0), n, replacement=True)
        return torch.normal(self.means[k], (0.5 * self.log_variances[k]).exp())

    def conditional_sample(self, n, k):
        return self.means[k] + (0.5 * self.log_variances[k]).exp() * torch.randn(n, self.means.size(1))
