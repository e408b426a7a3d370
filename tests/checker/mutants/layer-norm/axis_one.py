# contract: layer-norm
# cause: axis-tokens
import torch
import torch.nn as nn


class NormalizaCapa(nn.Module):
    def __init__(self, ancho, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.ganancia = nn.Parameter(torch.ones(ancho))
        self.sesgo = nn.Parameter(torch.zeros(ancho))

    def forward(self, x):
        media = x.mean(1, keepdim=True)
        varianza = ((x - media) ** 2).mean(1, keepdim=True)
        return (x - media) / torch.sqrt(varianza + self.eps) * self.ganancia + self.sesgo
