# contract: gaussian-mixture
import math
import torch
import torch.nn as nn


class Mischung(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x):
        total = torch.full((x.shape[0],), float("-inf"), dtype=x.dtype, device=x.device)
        for gewicht, mitte, lv in zip(self.logits, self.means, self.log_variances):
            z = (x - mitte) * torch.exp(-lv / 2)
            lp = -(z * z).sum(1) / 2 - lv.sum() / 2 - x.shape[1] * math.log(math.tau) / 2
            total = torch.logaddexp(total, lp + gewicht)
        return total - self.logits.logsumexp(0)

    def loss_function(self, log_likelihood):
        return -log_likelihood.sum() / log_likelihood.numel()

    @torch.no_grad()
    def sample(self, n_samples):
        # inverse of the cumulative weights
        u = torch.rand(n_samples, dtype=self.means.dtype)
        edges = self.logits.softmax(0).cumsum(0)
        k = torch.searchsorted(edges, u).clamp(max=len(edges) - 1)
        return self.means[k] + torch.randn_like(self.means[k]) * torch.exp(self.log_variances[k] / 2)

    @torch.no_grad()
    def conditional_sample(self, n_samples, label):
        return torch.stack([torch.normal(self.means[label], torch.exp(self.log_variances[label] / 2)) for _ in range(n_samples)])
