# contract: gat-layer
import torch
from torch import nn
from torch.nn.functional import leaky_relu


class GATSchicht(nn.Module):
    """GAT: jeder Knoten sammelt bei seinen Nachbarn und bei sich selbst."""

    def __init__(self, in_dim: int, out_dim: int, heads: int = 1):
        super().__init__()
        self.projektion = nn.ModuleList(nn.Linear(in_dim, out_dim, bias=False) for _ in range(heads))
        self.vektor = nn.ParameterList(nn.Parameter(torch.randn(2 * out_dim) * 0.3) for _ in range(heads))

    def forward(self, x, edge_index):
        quellen, ziele = edge_index.tolist()
        nachbarn = [{i} for i in range(len(x))]
        for q, z in zip(quellen, ziele):
            nachbarn[z].add(q)
        koepfe = []
        for lin, a in zip(self.projektion, self.vektor):
            h = lin(x)
            zeilen = []
            for i, menge in enumerate(nachbarn):
                hj = h[sorted(menge)]
                paare = torch.cat([h[i].expand_as(hj), hj], dim=1)
                zeilen.append(torch.softmax(leaky_relu(paare @ a, 0.2), dim=0) @ hj)
            koepfe.append(torch.stack(zeilen))
        return torch.cat(koepfe, dim=1)
