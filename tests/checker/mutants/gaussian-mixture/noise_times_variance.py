# contract: gaussian-mixture
# cause: sample-variance
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components, dim=2):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, dim))
        self.log_variances = nn.Parameter(torch.zeros(n_components, dim))

    def forward(self, x):
        prec = torch.exp(-self.log_variances)
        e = torch.einsum("nkd,kd->nk", (x[:, None] - self.means) ** 2, prec)
        log_n = -0.5 * (e + self.log_variances.sum(-1) + x.shape[-1] * math.log(2 * math.pi))
        return torch.logsumexp(log_n + self.logits.log_softmax(-1), -1)

    def loss_function(self, log_likelihood):
        return log_likelihood.mean().neg()

    def _draw(self, k):
        noise = torch.randn(len(k), self.means.size(1), dtype=self.means.dtype)
        return self.means[k] + noise * self.log_variances[k].exp()

    def sample(self, n_samples):
        return self._draw(torch.multinomial(self.logits.softmax(-1), n_samples, replacement=True))

    def conditional_sample(self, n_samples, label):
        return self._draw(torch.full((n_samples,), label, dtype=torch.long))
