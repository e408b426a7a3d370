# contract: rms-norm
# cause: root-multiplied
from dataclasses import dataclass

import torch
from torch import nn, Tensor


@dataclass
class NormConfig:
    d_model: int = 24
    norm_eps: float = 1e-5


class RMSNorm(nn.Module):
    def __init__(self, config: NormConfig):
        super().__init__()
        self.eps = config.norm_eps
        self.gamma = nn.Parameter(torch.ones(config.d_model))

    def _inv_rms(self, x: Tensor) -> Tensor:
        return torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + self.eps)

    def forward(self, x: Tensor) -> Tensor:
        return x / self._inv_rms(x) * self.gamma
