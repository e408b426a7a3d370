# contract: gaussian-mixture
import torch
from torch import nn
import math


class PrecisionGMM(nn.Module):
    """Sigma_k^-1 = P_k P_k^T with P_k lower triangular and positive on the diagonal."""

    def __init__(self, k, d):
        super().__init__()
        self.pi = nn.Parameter(torch.zeros(k))
        self.mu = nn.Parameter(torch.randn(k, d))
        self.log_diag = nn.Parameter(torch.zeros(k, d))
        self.off = nn.Parameter(torch.zeros(k, d, d))

    def factor(self):
        return torch.tril(self.off, -1) + torch.diag_embed(self.log_diag.exp())

    def forward(self, x):
        P = self.factor()
        y = torch.einsum("nki,kij->nkj", x[:, None] - self.mu, P)
        log_n = self.log_diag.sum(-1) - 0.5 * (y ** 2).sum(-1) - 0.5 * x.shape[-1] * math.log(2 * math.pi)
        return torch.logsumexp(torch.log_softmax(self.pi, 0) + log_n, -1)
