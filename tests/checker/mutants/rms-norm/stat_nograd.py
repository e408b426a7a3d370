# contract: rms-norm
# cause: gradient-cut
import torch
from torch import nn


@torch.no_grad()
def root_mean_square(t: torch.Tensor, eps: float) -> torch.Tensor:
    return (t.square().mean(-1, keepdim=True) + eps).sqrt()


class RootMeanSquareNorm(nn.Module):
    """y = x / rms(x) * gain"""

    def __init__(self, features: int, *, eps: float = 1e-5):
        super().__init__()
        self.features, self.eps = features, eps
        self.gain = nn.Parameter(torch.ones(features))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rms = root_mean_square(x, self.eps)
        return (x / rms) * self.gain
