# contract: gaussian-mixture
# cause: logdet-missing
import numpy as np
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
        z = (x.unsqueeze(1) - self.means) / torch.exp(self.log_variances / 2)
        comp = -0.5 * z.square().sum(2) - np.log(2 * np.pi)
        return torch.logsumexp(comp + F.log_softmax(self.logits, dim=0), dim=1)

    def loss(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n):
        idx = torch.distributions.Categorical(logits=self.logits).sample((n,))
        return torch.normal(self.means[idx], torch.exp(self.log_variances[idx] / 2))

    def conditional_sample(self, n, k):
        return torch.normal(self.means[k].expand(n, 2), torch.exp(self.log_variances[k] / 2).expand(n, 2))
