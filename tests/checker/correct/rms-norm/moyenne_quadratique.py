# contract: rms-norm
import torch
from torch import nn


class NormeRMS(nn.Module):
    """RMS norm : chaque vecteur divise par sa moyenne quadratique."""

    def __init__(self, dim: int, epsilon: float = 1e-5):
        super().__init__()
        self.dim = dim
        self.epsilon = epsilon
        self.gain = nn.Parameter(torch.ones(self.dim))

    def forward(self, entree: torch.Tensor) -> torch.Tensor:
        norme = entree.norm(p=2, dim=-1, keepdim=True)
        moyenne_quadratique = (norme.pow(2) / self.dim + self.epsilon) ** 0.5
        return self.gain * entree.div(moyenne_quadratique)
