# contract: gat-layer
# target: CoucheAttention
import torch
from torch import nn


class CoucheAttention(nn.Module):
    """Two heads; the vector of each head has two ends, and nothing says which axis is which."""

    def __init__(self, dim_entree: int, dim_sortie: int, tetes: int = 2):
        super().__init__()
        self.poids = nn.Parameter(torch.randn(tetes, dim_entree, dim_sortie) * dim_entree**-0.5)
        self.vecteur = nn.Parameter(torch.randn(tetes, 2, dim_sortie) * dim_sortie**-0.5)

    def forward(self, x, adj):
        z = x @ self.poids
        own, other = torch.einsum("hnd,hed->ehn", z, self.vecteur)
        scores = nn.functional.leaky_relu(own[:, :, None] + other[:, None], 0.2)
        weights = scores.masked_fill(adj == 0, -torch.inf).softmax(-1).nan_to_num()
        return (weights @ z).transpose(0, 1).flatten(1)
