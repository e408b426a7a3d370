# contract: gaussian-mixture
import torch, math
from torch import nn


class DiagonalGMM(nn.Module):
    """Log-precisions are learned: tau = exp(log_precision) = 1 / variance."""

    def __init__(self, n_components, n_features):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, n_features))
        self.log_precision = nn.Parameter(torch.zeros(n_components, n_features))

    def log_likelihood(self, x):
        tau = self.log_precision.exp()
        e = tau * (x[:, None] - self.means) ** 2 - self.log_precision + math.log(2 * math.pi)
        return (self.logits.log_softmax(-1) - e.sum(-1) / 2).logsumexp(-1)

    def sample(self, n):
        k = torch.multinomial(self.logits.softmax(-1), n, replacement=True)
        return self.means[k] + torch.randn(n, self.means.shape[1]) * (-0.5 * self.log_precision[k]).exp()
