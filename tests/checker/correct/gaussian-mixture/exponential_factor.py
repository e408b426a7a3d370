# contract: gaussian-mixture
import math

import torch
import torch.nn as nn


class FullGMM(nn.Module):
    """Full covariances by a Cholesky factor; the diagonal is exponentiated."""

    def __init__(self, K, D):
        super().__init__()
        self.pi_logits = nn.Parameter(torch.zeros(K))
        self.loc = nn.Parameter(torch.randn(K, D))
        self.tril = nn.Parameter(torch.zeros(K, D, D))

    def cholesky(self):
        d = torch.diagonal(self.tril, dim1=-2, dim2=-1)
        return torch.tril(self.tril, -1) + torch.diag_embed(d.exp())

    def forward(self, x):
        L = self.cholesky()
        diff = (x[:, None] - self.loc).unsqueeze(-1)
        z = torch.linalg.solve_triangular(L, diff, upper=False).squeeze(-1)
        logdet = torch.diagonal(L, dim1=-2, dim2=-1).log().sum(-1)
        lp = -0.5 * z.square().sum(-1) - logdet - 0.5 * x.shape[-1] * math.log(2 * math.pi)
        return torch.logsumexp(lp + self.pi_logits.log_softmax(-1), -1)
