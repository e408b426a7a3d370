# contract: gaussian-mixture
# cause: two-pi-missing,sample-variance
import torch
from torch import nn


class MelangeGaussien(nn.Module):
    """Melange de gaussiennes (GMM) a covariance diagonale."""

    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        ecart = (x.unsqueeze(1) - self.means).pow(2) / self.log_variances.exp()
        log_densite = (-0.5 * (self.log_variances + ecart)).sum(-1)
        return torch.logsumexp(torch.log_softmax(self.logits, 0) + log_densite, 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(torch.softmax(self.logits, 0), n_samples, replacement=True)
        bruit = torch.randn(n_samples, 2)
        return (self.means[k] + bruit * torch.exp(self.log_variances[k] / 2)).detach()

    def conditional_sample(self, n_samples, label):
        bruit = torch.randn(n_samples, 2)
        return (self.means[label] + bruit * torch.exp(self.log_variances[label])).detach()
