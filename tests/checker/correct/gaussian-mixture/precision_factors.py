# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class PrecCholGMM(nn.Module):
    """Precision matrices as U U^T, U lower triangular with diagonal exp(log_d)."""

    def __init__(self, k, d):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(k))
        self.mu = nn.Parameter(torch.randn(k, d))
        self.log_d = nn.Parameter(torch.zeros(k, d))
        self.U = nn.Parameter(torch.zeros(k, d, d))

    def forward(self, x):
        U = torch.tril(self.U, -1) + torch.diag_embed(self.log_d.exp())
        y = torch.einsum("nki,kij->nkj", x[:, None] - self.mu, U)
        lp = -0.5 * (y**2).sum(-1) + self.log_d.sum(-1) - 0.5 * x.shape[-1] * math.log(2 * math.pi)
        return torch.logsumexp(lp + torch.log_softmax(self.logits, 0), dim=1)
