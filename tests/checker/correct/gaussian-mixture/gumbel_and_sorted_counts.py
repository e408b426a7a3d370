# contract: gaussian-mixture
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    """Samples component after component; the counts come from Gumbel noise."""

    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        cov = torch.diag_embed(self.log_variances.exp())
        diff = x[:, None] - self.means
        maha = torch.einsum("nki,kij,nkj->nk", diff, torch.linalg.inv(cov), diff)
        log_n = -0.5 * (maha + torch.logdet(cov) + 2 * math.log(2 * math.pi))
        return torch.logsumexp(log_n + torch.log_softmax(self.logits, 0), 1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        u = torch.rand(n_samples, len(self.logits), dtype=self.logits.dtype).clamp_min(1e-12)
        k = (self.logits - torch.log(-torch.log(u))).argmax(1)
        counts = torch.bincount(k, minlength=len(self.logits)).tolist()
        return torch.cat([self.conditional_sample(c, j) for j, c in enumerate(counts)])

    def conditional_sample(self, n_samples, label):
        eps = torch.randn(n_samples, 2, dtype=self.means.dtype, device=self.means.device)
        return eps * torch.exp(self.log_variances[label]).sqrt() + self.means[label]
