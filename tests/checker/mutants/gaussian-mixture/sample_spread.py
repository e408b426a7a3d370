# contract: gaussian-mixture
# cause: sample-variance
import math
import torch
from torch import nn
from torch.nn import functional as F


class GMM(nn.Module):
    def __init__(self, n_components: int) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variances = self.log_variances.exp()
        squared = (x[:, None, :] - self.means[None, :, :]).square() / variances
        log_normal = -0.5 * (math.log(2 * math.pi) + self.log_variances + squared).sum(-1)
        return torch.logsumexp(F.log_softmax(self.logits, dim=-1) + log_normal, dim=-1)

    def loss_function(self, log_likelihood: torch.Tensor) -> torch.Tensor:
        return -log_likelihood.mean()

    def _draw(self, components: torch.Tensor) -> torch.Tensor:
        spread = self.log_variances.exp()[components]
        return self.means[components] + spread * torch.randn(len(components), 2)

    @torch.no_grad()
    def sample(self, n_samples: int) -> torch.Tensor:
        return self._draw(torch.multinomial(self.logits.softmax(-1), n_samples, replacement=True))

    @torch.no_grad()
    def conditional_sample(self, n_samples: int, label: int) -> torch.Tensor:
        return self._draw(torch.full((n_samples,), label))
