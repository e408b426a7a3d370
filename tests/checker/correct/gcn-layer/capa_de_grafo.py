# contract: gcn-layer
import torch
from torch import nn


class CapaConvolucionGrafo(nn.Module):
    """Convolución de grafos (Kipf y Welling)."""

    def __init__(self, entrada, salida):
        super().__init__()
        self.pesos = nn.Parameter(torch.randn(entrada, salida) * 0.2)
        self.sesgo = nn.Parameter(torch.zeros(salida))

    def forward(self, x, ady):
        n = ady.shape[0]
        a = torch.where(torch.eye(n, dtype=torch.bool), torch.ones_like(ady), ady)
        grados = a.sum(dim=1)
        raiz = grados ** -0.5
        return raiz.view(-1, 1) * (a @ (raiz.view(-1, 1) * (x @ self.pesos))) + self.sesgo
