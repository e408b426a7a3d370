# contract: gaussian-mixture
# cause: underflow
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def density(self, x):
        var = torch.exp(self.log_variances)
        norm = 1.0 / torch.sqrt(2 * math.pi * var)
        p = norm * torch.exp(-0.5 * (x[:, None] - self.means) ** 2 / var)
        return (torch.softmax(self.logits, 0) * p.prod(-1)).sum(-1)

    def forward(self, x):
        return torch.log(self.density(x))

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(torch.softmax(self.logits, 0), n_samples, replacement=True)
        return torch.normal(self.means[k], torch.exp(self.log_variances[k]).sqrt())

    def conditional_sample(self, n_samples, label):
        k = torch.tensor([label] * n_samples)
        return torch.normal(self.means[k], torch.exp(self.log_variances[k]).sqrt())
