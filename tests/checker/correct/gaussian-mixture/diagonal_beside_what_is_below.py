# contract: gaussian-mixture

import torch
from torch import nn


class TwoPartMixture(nn.Module):
    """Each covariance is F F^T, whose factor F has exp(log_diagonal) on the diagonal and `off_diagonal` below it."""

    def __init__(self, k, d):
        super().__init__()
        self.mix = nn.Parameter(torch.zeros(k))
        self.centres = nn.Parameter(torch.randn(k, d))
        self.log_diagonal = nn.Parameter(torch.zeros(k, d))
        self.off_diagonal = nn.Parameter(0.1 * torch.randn(k, d, d))

    @property
    def factor(self):
        return self.off_diagonal.tril(-1) + torch.diag_embed(torch.exp(self.log_diagonal))

    def log_prob(self, x):
        whole = torch.distributions.MultivariateNormal(self.centres, scale_tril=self.factor)
        return torch.logsumexp(self.mix.log_softmax(0) + whole.log_prob(x[:, None]), dim=1)
