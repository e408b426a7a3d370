# contract: causal-attention
import torch
from torch import nn


class Tete(nn.Module):
    def __init__(self, dim: int, dim_tete: int):
        super().__init__()
        self.cle = nn.Linear(dim, dim_tete)
        self.requete = nn.Linear(dim, dim_tete)
        self.valeur = nn.Linear(dim, dim_tete)

    def forward(self, x):
        n = x.size(1)
        scores = torch.bmm(self.requete(x), self.cle(x).transpose(1, 2)) / self.cle.out_features ** 0.5
        futur = torch.full((n, n), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        return torch.bmm(torch.softmax(scores + futur, dim=-1), self.valeur(x))


class CausalMultiHead(nn.Module):
    """Attention causale : une liste de tetes, cote a cote."""

    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.tetes = nn.ModuleList(Tete(dim, dim // heads) for _ in range(heads))
        self.sortie = nn.Linear(dim, dim)

    def forward(self, x):
        return self.sortie(torch.cat([t(x) for t in self.tetes], -1))
