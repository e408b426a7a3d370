# contract: layer-norm
import torch
from torch import nn


class Schichtnorm(nn.Module):
    """Schichtnorm: Zentrierung als Matrix, dann auf Einheitsvarianz."""

    def __init__(self, breite, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.skala = nn.Parameter(torch.ones(breite))
        self.versatz = nn.Parameter(torch.zeros(breite))

    def forward(self, x):
        d = x.shape[-1]
        C = torch.eye(d, dtype=x.dtype, device=x.device) - 1.0 / d
        z = x @ C
        laenge = torch.einsum('...i,...i->...', z, z).unsqueeze(-1)
        return z / torch.sqrt(laenge / d + self.eps) * self.skala + self.versatz
