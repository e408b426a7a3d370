# contract: multi-head-attention
# cause: k-v-swapped
import torch
import torch.nn as nn


class MehrkopfAufmerksamkeit(nn.Module):
    def __init__(self, breite: int, koepfe: int) -> None:
        super().__init__()
        self.koepfe = koepfe
        self.query = nn.Linear(breite, breite)
        self.key = nn.Linear(breite, breite)
        self.value = nn.Linear(breite, breite)
        self.out = nn.Linear(breite, breite)

    def teile(self, t: torch.Tensor) -> torch.Tensor:
        return t.unflatten(2, (self.koepfe, -1)).transpose(1, 2)

    def aufmerksam(self, q, k, v, mask):
        punkte = q @ k.transpose(2, 3) * q.size(3) ** -0.5
        if mask is not None:
            punkte = punkte.masked_fill(~mask[:, None, None], -1e9)
        return punkte.softmax(3) @ v

    def forward(self, query, key, value, mask=None):
        q = self.teile(self.query(query))
        k = self.teile(self.key(key))
        v = self.teile(self.value(value))
        y = self.aufmerksam(q, v, k, mask)
        return self.out(y.transpose(1, 2).flatten(2))
