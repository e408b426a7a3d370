# contract: gaussian-mixture
# cause: sample-weights-ignored
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.k, self.d = n_components, dim
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        lp = -0.5 * (
            (x[:, None] - self.means) ** 2 / self.log_variances.exp()
            + self.log_variances
            + math.log(2 * math.pi)
        ).sum(-1)
        return torch.logsumexp(lp + self.logits.log_softmax(0), dim=-1)

    def loss(self, x):
        return -self(x).mean()

    @torch.no_grad()
    def sample(self, n):
        return torch.stack([self.conditional_sample(1, int(torch.randint(self.k, ())))[0] for _ in range(n)])

    @torch.no_grad()
    def conditional_sample(self, n, k):
        return self.means[k] + (0.5 * self.log_variances[k]).exp() * torch.randn(n, self.d)
