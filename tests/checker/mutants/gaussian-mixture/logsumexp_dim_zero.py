# contract: gaussian-mixture
# cause: sum-over-samples
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        d = x.size(-1)
        diff = x.unsqueeze(1) - self.means.unsqueeze(0)
        logp = -0.5 * (
            d * math.log(2 * math.pi)
            + self.log_variances.sum(-1)
            + (diff**2 * torch.exp(-self.log_variances)).sum(-1)
        )
        logp = logp + torch.log_softmax(self.logits, dim=-1)
        return torch.logsumexp(logp, dim=0)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        k = torch.multinomial(torch.softmax(self.logits, -1), n, replacement=True)
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n, 2)

    def conditional_sample(self, n, k):
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(n, 2)
