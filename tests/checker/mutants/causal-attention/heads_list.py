# contract: causal-attention
# cause: out-projection-missing
import torch
from torch import nn


class Kopf(nn.Module):
    def __init__(self, breite, kopfbreite):
        super().__init__()
        self.frage = nn.Linear(breite, kopfbreite)
        self.schluessel = nn.Linear(breite, kopfbreite)
        self.wert = nn.Linear(breite, kopfbreite)

    def forward(self, x):
        n = x.shape[1]
        s = self.frage(x) @ self.schluessel(x).transpose(1, 2) / self.frage.out_features**0.5
        zukunft = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        return s.masked_fill(zukunft, -torch.inf).softmax(-1) @ self.wert(x)


class MehrKopfAufmerksamkeit(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.koepfe = nn.ModuleList(Kopf(d_model, d_model // n_heads) for _ in range(n_heads))
        self.ausgang = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        y = torch.cat([kopf(x) for kopf in self.koepfe], dim=-1)
        return self.dropout(y)
