# contract: gaussian-mixture
# cause: weights-not-logged
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        pi = F.softmax(self.logits, dim=-1)
        log_n = -0.5 * (
            (x[:, None] - self.means) ** 2 / self.log_variances.exp()
            + self.log_variances
            + math.log(2 * math.pi)
        ).sum(-1)
        return torch.logsumexp(pi + log_n, dim=-1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(F.softmax(self.logits, dim=-1), n_samples, replacement=True)
        return torch.normal(self.means[k], (0.5 * self.log_variances[k]).exp())

    def conditional_sample(self, n_samples, label):
        k = torch.full((n_samples,), label, dtype=torch.long)
        return torch.normal(self.means[k], (0.5 * self.log_variances[k]).exp())
