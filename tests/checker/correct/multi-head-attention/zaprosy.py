# contract: multi-head-attention
import torch
from torch import nn


class MultiHeadVnimanie(nn.Module):
    def __init__(self, shirina, golov):
        super().__init__()
        self.golov = golov
        self.dlya_zaprosov = nn.Linear(shirina, shirina)
        self.dlya_klyuchey = nn.Linear(shirina, shirina)
        self.dlya_znacheniy = nn.Linear(shirina, shirina)
        self.itog = nn.Linear(shirina, shirina)

    def forward(self, zaprosy, klyuchi, znacheniya, maska=None):
        parts = (
            (self.dlya_zaprosov, zaprosy),
            (self.dlya_klyuchey, klyuchi),
            (self.dlya_znacheniy, znacheniya),
        )
        z, k, s = (layer(t).unflatten(-1, (self.golov, -1)).transpose(1, 2) for layer, t in parts)
        ocenki = z @ k.mT / z.shape[-1] ** 0.5
        if maska is not None:
            ocenki = ocenki.masked_fill(~maska[:, None, None], float("-inf"))
        return self.itog((ocenki.softmax(-1) @ s).transpose(1, 2).flatten(2))
