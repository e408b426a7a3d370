# contract: gaussian-mixture
# cause: sample-weights-ignored
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.K = n_components
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        var = self.log_variances.exp()
        lp = -0.5 * (((x[:, None] - self.means) ** 2 / var).sum(-1) + var.log().sum(-1)) - math.log(
            2 * math.pi
        )
        return torch.logsumexp(lp + self.logits.log_softmax(0), 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.randint(0, self.K, (n_samples,))
        return torch.normal(self.means[k], (0.5 * self.log_variances[k]).exp())

    def conditional_sample(self, n_samples, label):
        k = torch.full((n_samples,), label, dtype=torch.long)
        return torch.normal(self.means[k], (0.5 * self.log_variances[k]).exp())
