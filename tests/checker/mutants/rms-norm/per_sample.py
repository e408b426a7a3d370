# contract: rms-norm
# cause: axis-all
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, normalized_shape: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rms = x.pow(2).mean(dim=(-2, -1), keepdim=True).add(self.eps).sqrt()
        return x / rms * self.weight
