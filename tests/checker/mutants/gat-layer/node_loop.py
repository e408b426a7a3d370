# contract: gat-layer
# cause: leaky-before-vector
import torch
from torch import nn
from torch.nn.functional import leaky_relu


class GATSchicht(nn.Module):
    """Graph-Attention-Schicht nach Velickovic et al. (2018), Schleife ueber alle Knoten."""

    def __init__(self, eingang, ausgang, koepfe=1):
        super().__init__()
        self.koepfe, self.ausgang = koepfe, ausgang
        self.W = nn.Parameter(torch.randn(eingang, koepfe * ausgang) / eingang**0.5)
        self.a = nn.Parameter(torch.randn(koepfe, 2 * ausgang) / ausgang**0.5)

    def forward(self, x, edge_index):
        quelle, ziel = edge_index
        h = (x @ self.W).view(x.shape[0], self.koepfe, self.ausgang)
        zeilen = []
        for i in range(x.shape[0]):
            nachbarn = quelle[ziel == i]
            if nachbarn.numel() == 0:
                zeilen.append(torch.zeros(self.koepfe * self.ausgang, dtype=x.dtype))
                continue
            hj = h[nachbarn]
            hi = h[i].expand_as(hj)
            paar = torch.cat([hi, hj], dim=-1)
            e = (leaky_relu(paar, 0.2) * self.a).sum(-1)
            gewicht = torch.softmax(e, dim=0)
            zeilen.append((gewicht.unsqueeze(-1) * hj).sum(0).reshape(-1))
        return torch.stack(zeilen)
