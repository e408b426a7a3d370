# contract: gaussian-mixture
from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class GMMConfig:
    n_components: int = 4
    n_features: int = 2
    min_log_var: float = -7.0
    init_scale: float = 1.0


class GMM(nn.Module):
    def __init__(self, config: GMMConfig):
        super().__init__()
        self.config = config
        self.logits = nn.Parameter(torch.zeros(config.n_components))
        self.means = nn.Parameter(config.init_scale * torch.randn(config.n_components, config.n_features))
        self.log_vars = nn.Parameter(torch.zeros(config.n_components, config.n_features))

    def forward(self, x):
        log_vars = self.log_vars.clamp(min=self.config.min_log_var)
        diff = x[:, None, :] - self.means
        log_n = -0.5 * (diff.pow(2) * (-log_vars).exp() + log_vars + torch.log(torch.tensor(2 * torch.pi))).sum(-1)
        return (self.logits.log_softmax(0) + log_n).logsumexp(1)

    def loss(self, x):
        return -self(x).mean()
