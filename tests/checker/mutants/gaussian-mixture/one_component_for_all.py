# contract: gaussian-mixture
# cause: sample-one-component
import math
import torch
import torch.nn as nn


class MezclaGaussiana(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        dif2 = (x[:, None] - self.means).square()
        comp = -0.5 * (math.log(2 * math.pi) + self.log_variances + dif2 * (-self.log_variances).exp()).sum(
            -1
        )
        return torch.logsumexp(self.logits.log_softmax(0) + comp, 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(self.logits.softmax(0), 1).item()
        return self.conditional_sample(n_samples, k)

    def conditional_sample(self, n_samples, label):
        ruido = torch.randn(n_samples, 2, dtype=self.means.dtype)
        return self.means[label] + ruido * (0.5 * self.log_variances[label]).exp()
