# contract: gaussian-mixture
# cause: two-pi-once
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
        var = self.log_variances.exp()
        quad = ((x[:, None] - self.means) ** 2 / var).sum(-1)
        lp = -0.5 * (math.log(2 * math.pi) + self.log_variances.sum(-1) + quad)
        return torch.logsumexp(lp + torch.log_softmax(self.logits, -1), -1)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        k = torch.multinomial(self.logits.softmax(-1), n, True)
        return torch.normal(self.means[k], self.log_variances[k].mul(0.5).exp())

    def conditional_sample(self, k, n):
        mu, s = self.means[k], self.log_variances[k].mul(0.5).exp()
        return mu + s * torch.randn(n, mu.numel())
