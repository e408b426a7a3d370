# contract: causal-attention
# target: AtencaoCausal
import torch
from torch import nn


class AtencaoCausal(nn.Module):
    """Token by token: each sees its prefix."""

    def __init__(self, largura=24, cabecas=3):
        super().__init__()
        self.cabecas = cabecas
        self.peso = nn.Parameter(torch.randn(3 * largura, largura) * largura**-0.5)
        self.vies = nn.Parameter(torch.zeros(3 * largura))
        self.saida = nn.Linear(largura, largura)

    def forward(self, x):
        q, k, v = nn.functional.linear(x, self.peso, self.vies).unflatten(-1, (3, self.cabecas, -1)).unbind(2)
        rows = []
        for n in range(x.shape[1]):
            scores = (q[:, n, None] * k[:, : n + 1]).sum(-1) * q.shape[-1] ** -0.5
            rows.append((scores.softmax(1)[..., None] * v[:, : n + 1]).sum(1).flatten(1))
        return self.saida(torch.stack(rows, 1))
