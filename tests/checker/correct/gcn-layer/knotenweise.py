# contract: gcn-layer
import torch
from torch import nn


class GCNSchicht(nn.Module):
    def __init__(self, eingang, ausgang):
        super().__init__()
        self.W = nn.Parameter(torch.randn(eingang, ausgang) / eingang ** 0.5)
        self.b = nn.Parameter(torch.zeros(ausgang))

    def forward(self, x, adj):
        n = adj.shape[0]
        grad = [float(adj[i].sum()) + 1.0 for i in range(n)]
        zeilen = []
        for i in range(n):
            summe = x[i] / grad[i]
            for j in range(n):
                if adj[i, j] != 0:
                    summe = summe + adj[i, j] * x[j] / (grad[i] * grad[j]) ** 0.5
            zeilen.append(summe @ self.W + self.b)
        return torch.stack(zeilen)
