# contract: gaussian-mixture
# cause: weights-not-logged
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        k, d = self.means.shape
        diff = x.view(-1, 1, d) - self.means.view(1, k, d)
        log_n = -0.5 * (
            d * math.log(2 * math.pi)
            + self.log_variances.sum(1)
            + (diff * diff / self.log_variances.exp()).sum(2)
        )
        return torch.logsumexp(F.softmax(self.logits, dim=0) + log_n, dim=1)

    def loss(self, x):
        return -self(x).mean()

    def sample(self, n):
        z = torch.multinomial(F.softmax(self.logits, dim=0), n, replacement=True)
        return self.means[z] + torch.sqrt(self.log_variances[z].exp()) * torch.randn(n, self.means.size(1))

    def conditional_sample(self, n, k):
        return self.means[k] + torch.sqrt(self.log_variances[k].exp()) * torch.randn(n, self.means.size(1))
