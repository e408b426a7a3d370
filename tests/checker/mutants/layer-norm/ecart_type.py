# contract: layer-norm
# cause: variance-about-zero
import torch
from torch import nn


class NormalisationCouche(nn.Module):
    """Layer norm sur le dernier axe."""

    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.poids = nn.Parameter(torch.ones(dim))
        self.biais = nn.Parameter(torch.zeros(dim))
        self.eps = eps

    def forward(self, x):
        moyenne = x.mean(-1, keepdim=True)
        variance = (x**2).mean(-1, keepdim=True)
        x_norm = (x - moyenne) / torch.sqrt(variance + self.eps)
        return x_norm * self.poids + self.biais
