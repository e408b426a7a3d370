# contract: gaussian-mixture
# cause: log-variance-as-deviation
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
        std = self.log_variances.exp()
        z = (x.unsqueeze(1) - self.means) / std
        log_n = -0.5 * z.pow(2) - self.log_variances - 0.5 * math.log(2 * math.pi)
        return torch.logsumexp(log_n.sum(-1) + torch.log_softmax(self.logits, -1), dim=-1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.distributions.Categorical(logits=self.logits).sample((n_samples,))
        return self.means[k] + torch.exp(0.5 * self.log_variances[k]) * torch.randn(
            n_samples, self.means.shape[1], dtype=self.means.dtype
        )

    def conditional_sample(self, n_samples, label):
        eps = torch.randn(n_samples, self.means.shape[1], dtype=self.means.dtype)
        return self.means[label] + torch.exp(0.5 * self.log_variances[label]) * eps
