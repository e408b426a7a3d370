# contract: gaussian-mixture
# cause: loss-sign
import math

import torch
from torch import nn

LOG_2PI = math.log(2.0 * math.pi)


def diag_gaussian_log_prob(x, mean, log_var):
    return -0.5 * (LOG_2PI + log_var + (x - mean) ** 2 * torch.exp(-log_var)).sum(dim=-1)


class GMM(nn.Module):
    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        log_prob = diag_gaussian_log_prob(x.unsqueeze(1), self.means, self.log_variances)
        return (log_prob + self.logits.log_softmax(dim=0)).logsumexp(dim=1)

    def loss_function(self, log_likelihood: torch.Tensor) -> torch.Tensor:
        return torch.mean(log_likelihood)

    @torch.no_grad()
    def sample(self, n_samples: int) -> torch.Tensor:
        component = torch.multinomial(self.logits.softmax(dim=0), n_samples, replacement=True)
        return self.means[component] + (0.5 * self.log_variances[component]).exp() * torch.randn(n_samples, 2)

    @torch.no_grad()
    def conditional_sample(self, n_samples: int, label: int) -> torch.Tensor:
        return self.means[label] + (0.5 * self.log_variances[label]).exp() * torch.randn(n_samples, 2)
