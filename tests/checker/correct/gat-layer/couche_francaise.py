# contract: gat-layer
import torch
import torch.nn as nn


class CoucheGAT(nn.Module):
    """Couche d'attention sur graphe ; aretes (2, E) : ligne 0 sources, ligne 1 cibles."""

    def __init__(self, dim_entree, dim_sortie, nb_tetes=1, biais=True):
        super().__init__()
        self.nb_tetes, self.dim_sortie = nb_tetes, dim_sortie
        self.poids = nn.Parameter(torch.randn(dim_entree, nb_tetes, dim_sortie) * 0.2)
        self.a_cible = nn.Parameter(torch.randn(nb_tetes, dim_sortie) * 0.2)
        self.a_source = nn.Parameter(torch.randn(nb_tetes, dim_sortie) * 0.2)
        self.biais = nn.Parameter(torch.zeros(nb_tetes * dim_sortie)) if biais else None

    def forward(self, x, aretes):
        src, cib = aretes
        h = torch.einsum("ni,ihd->nhd", x, self.poids)
        e = torch.nn.functional.leaky_relu((h[cib] * self.a_cible).sum(-1) + (h[src] * self.a_source).sum(-1), 0.2)
        e = e - torch.zeros(len(x), self.nb_tetes, dtype=x.dtype).index_reduce_(0, cib, e.detach(), "amax", include_self=False)[cib]
        w = e.exp()
        somme = torch.zeros(len(x), self.nb_tetes, dtype=x.dtype).index_add_(0, cib, w)
        y = torch.zeros_like(h).index_add_(0, cib, w[..., None] * h[src])
        y = y / somme.clamp(min=1e-30)[..., None]
        y = y.reshape(len(x), -1)
        return y if self.biais is None else y + self.biais
