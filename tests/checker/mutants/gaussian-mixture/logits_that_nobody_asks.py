# contract: gaussian-mixture
# cause: unknown
# target: MixtureHead
import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class MixtureConfig:
    n_mix: int = 4
    n_dim: int = 2


class MixtureHead(nn.Module):
    """Gaussian mixture; w logits, m means, s log standard deviations."""

    def __init__(self, cfg: MixtureConfig):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(cfg.n_mix))
        self.m = nn.Parameter(torch.randn(cfg.n_mix, cfg.n_dim))
        self.s = nn.Parameter(torch.zeros(cfg.n_mix, cfg.n_dim))

    def forward(self, x):
        out = []
        logw = torch.full_like(self.w, -math.log(len(self.w)))
        for k in range(len(self.w)):
            z = (x - self.m[k]) / self.s[k].exp()
            out.append(
                logw[k] - 0.5 * (z * z).sum(-1) - self.s[k].sum() - 0.5 * x.shape[-1] * math.log(2 * math.pi)
            )
        return torch.stack(out, -1).logsumexp(-1)
