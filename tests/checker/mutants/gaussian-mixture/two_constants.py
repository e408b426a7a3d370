# contract: gaussian-mixture
# cause: two-pi-once,loss-sum
import numpy as np
import torch
from torch import nn
from torch.nn.functional import log_softmax, softmax


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        """log-likelihood of each sample, shape (n,)"""
        log_det = self.log_variances.sum(dim=1)
        mahalanobis = ((x[:, None, :] - self.means) ** 2 / torch.exp(self.log_variances)).sum(dim=2)
        log_p_x_given_k = -0.5 * (np.log(2 * np.pi) + log_det + mahalanobis)
        return torch.logsumexp(log_softmax(self.logits, dim=0) + log_p_x_given_k, dim=1)

    def loss_function(self, log_likelihood):
        return -torch.sum(log_likelihood)

    def sample(self, n_samples):
        k = torch.multinomial(softmax(self.logits, dim=0), n_samples, replacement=True)
        sigma = torch.exp(0.5 * self.log_variances)
        return (self.means[k] + torch.randn(n_samples, 2) * sigma[k]).detach()

    def conditional_sample(self, n_samples, label):
        sigma = torch.exp(0.5 * self.log_variances)
        return (self.means[label] + torch.randn(n_samples, 2) * sigma[label]).detach()
