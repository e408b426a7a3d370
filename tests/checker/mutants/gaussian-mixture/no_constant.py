# contract: gaussian-mixture
# cause: two-pi-missing
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.d = dim
        self.logits = nn.Parameter(torch.randn(n_components) * 0.1)
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        quad = torch.einsum("nkd,kd->nk", (x[:, None] - self.means).pow(2), torch.exp(-self.log_variances))
        lp = -0.5 * quad - 0.5 * self.log_variances.sum(1)
        return torch.logsumexp(lp + self.logits.log_softmax(0), 1)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        k = torch.distributions.Categorical(logits=self.logits).sample((n,))
        return self.means[k] + torch.randn(n, self.d) * (self.log_variances[k] / 2).exp()

    def conditional_sample(self, n, k):
        return self.means[k] + torch.randn(n, self.d) * (self.log_variances[k] / 2).exp()
