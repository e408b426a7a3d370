# contract: gcn-layer
# cause: column-normalised
import torch
from torch import nn


class ConvGraphe(nn.Module):
    """Couche GCN : edge_index (2, aretes), ligne 0 les sources, ligne 1 les cibles."""

    def __init__(self, entrees: int, sorties: int):
        super().__init__()
        self.poids = nn.Parameter(torch.randn(entrees, sorties) / entrees**0.5)
        self.biais = nn.Parameter(torch.zeros(sorties))

    def forward(self, x, edge_index):
        n = x.shape[0]
        sans_boucles = edge_index[:, edge_index[0] != edge_index[1]]
        boucles = torch.arange(n, device=x.device).expand(2, n)
        src, dst = torch.cat([sans_boucles, boucles], dim=1)
        degre = x.new_zeros(n).scatter_add(0, dst, x.new_ones(dst.numel()))
        racine = degre.pow(-0.5)
        coef = racine[src] * racine[src]
        messages = coef[:, None] * (x @ self.poids)[src]
        y = messages.new_zeros(n, messages.shape[1])
        return y.index_add(0, dst, messages) + self.biais
