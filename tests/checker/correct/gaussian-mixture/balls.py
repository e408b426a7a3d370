# contract: gaussian-mixture
import math

import torch
from torch import nn


class MixtureOfBalls(nn.Module):
    """Every component is as wide along all axes."""

    def __init__(self, n_components, dim):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.centres = nn.Parameter(torch.randn(n_components, dim))
        self.log_var = nn.Parameter(torch.zeros(n_components))

    def log_prob(self, x):
        square = (x[:, None] - self.centres).square().sum(-1)
        wide = x.shape[1] * (self.log_var + math.log(2 * math.pi))
        return (self.logits.log_softmax(0) - 0.5 * (square / self.log_var.exp() + wide)).logsumexp(1)

    def sample(self, n):
        chosen = torch.multinomial(self.logits.softmax(0), n, replacement=True)
        noise = torch.randn(n, self.centres.shape[1], dtype=self.centres.dtype)
        return self.centres[chosen] + noise * (0.5 * self.log_var).exp()[chosen, None]
