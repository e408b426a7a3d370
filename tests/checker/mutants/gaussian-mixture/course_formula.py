# contract: gaussian-mixture
# cause: logdet-half-missing
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.n_components = n_components
        self.logits = nn.Parameter(torch.randn(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        log_pk = F.log_softmax(self.logits, dim=0)
        var = torch.exp(self.log_variances)
        diff = x.unsqueeze(1) - self.means.unsqueeze(0)
        maha = (diff**2 / var).sum(-1)
        log_cond = -np.log(2 * np.pi) - self.log_variances.sum(-1) - 0.5 * maha
        return torch.logsumexp(log_pk + log_cond, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(F.softmax(self.logits, dim=0), n_samples, replacement=True)
        z = torch.randn(n_samples, 2)
        return self.means[k] + z * torch.exp(0.5 * self.log_variances[k])

    def conditional_sample(self, n_samples, label):
        z = torch.randn(n_samples, 2)
        return self.means[label] + z * torch.exp(0.5 * self.log_variances[label])
