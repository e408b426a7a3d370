# contract: causal-attention
# cause: k-v-swapped
import torch
import torch.nn as nn


class AtencionCausal(nn.Module):
    def __init__(self, ancho, cabezas):
        super().__init__()
        self.cabezas = cabezas
        self.query = nn.Linear(ancho, ancho)
        self.key = nn.Linear(ancho, ancho)
        self.value = nn.Linear(ancho, ancho)
        self.out = nn.Linear(ancho, ancho)

    def forward(self, x):
        lote, n, ancho = x.shape
        partir = lambda t: t.view(lote, n, self.cabezas, ancho // self.cabezas)
        q, k, v = partir(self.query(x)), partir(self.key(x)), partir(self.value(x))
        puntos = torch.einsum("bihd,bjhd->bhij", q, v) / (ancho // self.cabezas) ** 0.5
        futuro = torch.arange(n, device=x.device)[None, :] > torch.arange(n, device=x.device)[:, None]
        puntos = puntos.masked_fill(futuro, float("-inf"))
        mezcla = torch.einsum("bhij,bjhd->bihd", puntos.softmax(-1), k)
        return self.out(mezcla.reshape(lote, n, ancho))
