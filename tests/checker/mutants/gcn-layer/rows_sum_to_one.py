# contract: gcn-layer
# cause: row-normalised
import torch
from torch import nn


class CouchGCN(nn.Module):
    def __init__(self, entree, sortie):
        super().__init__()
        self.poids = nn.Parameter(torch.empty(entree, sortie))
        self.biais = nn.Parameter(torch.zeros(sortie))
        nn.init.xavier_uniform_(self.poids)

    def forward(self, x, adj):
        a = adj.clone()
        a.fill_diagonal_(1.0)
        a = a / a.sum(dim=1, keepdim=True)
        return a @ x @ self.poids + self.biais
