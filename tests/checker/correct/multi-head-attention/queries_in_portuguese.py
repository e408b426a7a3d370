# contract: multi-head-attention
# target: Atencao
import torch
from torch import nn


class Atencao(nn.Module):
    def __init__(self, dimensao, cabecas=3):
        super().__init__()
        self.cabecas = cabecas
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dimensao, dimensao) for _ in range(4))

    def forward(self, consulta, chave, valor, mask=None):
        q, k, v = (
            w(x).unflatten(-1, (self.cabecas, -1)).transpose(1, 2)
            for w, x in ((self.wq, consulta), (self.wk, chave), (self.wv, valor))
        )
        scores = q @ k.mT * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], -torch.inf)
        return self.wo((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
