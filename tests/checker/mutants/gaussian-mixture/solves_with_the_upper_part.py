# contract: gaussian-mixture
# cause: unknown
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GaussianMixtureModel(nn.Module):
    """Full covariance GMM, trained by gradient descent. The scale is a Cholesky factor L with softplus diagonal."""

    def __init__(self, num_components, num_features):
        super().__init__()
        self.K, self.D = num_components, num_features
        self.mix_logits = nn.Parameter(torch.zeros(num_components))
        self.mu = nn.Parameter(torch.randn(num_components, num_features))
        self.raw_scale = nn.Parameter(torch.eye(num_features).repeat(num_components, 1, 1))

    def scale_tril(self):
        L = torch.tril(self.raw_scale, diagonal=-1)
        diag = F.softplus(torch.diagonal(self.raw_scale, dim1=-2, dim2=-1)) + 1e-5
        return L + torch.diag_embed(diag)

    def log_prob(self, x):
        L = self.scale_tril()
        diff = (x.unsqueeze(1) - self.mu).unsqueeze(-1)
        y = torch.linalg.solve_triangular(L.unsqueeze(0), diff, upper=True).squeeze(-1)
        logdet = torch.log(torch.diagonal(L, dim1=-2, dim2=-1)).sum(-1)
        comp = -0.5 * (y**2).sum(-1) - logdet - 0.5 * self.D * math.log(2 * math.pi)
        return torch.logsumexp(comp + F.log_softmax(self.mix_logits, dim=0), dim=1)

    def forward(self, x):
        return -self.log_prob(x).mean()
