# contract: gaussian-mixture
# target: PrecisionGMM
import math

import torch
from torch import nn


class PrecisionGMM(nn.Module):
    """Each precision is P P^T with a lower triangular P, whose diagonal is kept as a logarithm."""

    def __init__(self, n_components, dim):
        super().__init__()
        self.pi = nn.Parameter(torch.zeros(n_components))
        self.mean = nn.Parameter(torch.randn(n_components, dim))
        self.prec_log_diag = nn.Parameter(torch.zeros(n_components, dim))
        self.prec_below = nn.Parameter(torch.zeros(n_components, dim, dim))

    def forward(self, x):
        factor = self.prec_below.tril(-1) + torch.diag_embed(self.prec_log_diag.exp())
        off = torch.einsum("nkd,kde->nke", x[:, None] - self.mean, factor)
        height = self.prec_log_diag.sum(-1) - 0.5 * (off.square() + math.log(2 * math.pi)).sum(-1)
        return (self.pi.log_softmax(-1) + height).logsumexp(-1)
