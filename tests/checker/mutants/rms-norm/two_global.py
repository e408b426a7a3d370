# contract: rms-norm
# cause: axis-all,gain-missing
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean_square = (x**2).mean()
        rms = torch.sqrt(mean_square + self.eps)
        return x / rms
