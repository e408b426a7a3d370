# contract: gat-layer
# cause: mask-zero-fill
import torch
from torch import nn
from torch.nn import functional as F


class CoucheGAT(nn.Module):
    """Attention sur graphe (GAT), adjacence dense : adj[i, j] = 1 si i ecoute j."""

    def __init__(self, in_dim, out_dim, heads=1):
        super().__init__()
        self.W = nn.Parameter(torch.randn(heads, in_dim, out_dim) / in_dim**0.5)
        self.a_i = nn.Parameter(torch.randn(heads, out_dim) / out_dim**0.5)
        self.a_j = nn.Parameter(torch.randn(heads, out_dim) / out_dim**0.5)

    def forward(self, x, adj):
        n = x.shape[0]
        voisins = adj.clone()
        voisins.fill_diagonal_(1)
        z = torch.einsum("ni,hid->hnd", x, self.W)
        gauche = torch.einsum("hnd,hd->hn", z, self.a_i)
        droite = torch.einsum("hnd,hd->hn", z, self.a_j)
        scores = F.leaky_relu(gauche.unsqueeze(2) + droite.unsqueeze(1), 0.2)
        scores = scores * voisins
        poids = torch.softmax(scores, dim=-1)
        return torch.einsum("hij,hjd->ihd", poids, z).reshape(n, -1)
