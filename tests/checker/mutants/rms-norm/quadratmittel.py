# contract: rms-norm
# cause: root-missing
import torch
from torch import nn


class RMSNorm(nn.Module):
    """Teilt jeden Vektor durch sein quadratisches Mittel."""

    def __init__(self, breite: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(breite))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        quadratmittel = (x * x).mean(dim=-1, keepdim=True)
        return x / (quadratmittel + self.eps) * self.weight
