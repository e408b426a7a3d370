# contract: rms-norm
# cause: root-missing
import torch
import torch.nn as nn


class RMSNormierung(nn.Module):
    """RMS-Normierung (Zhang & Sennrich 2019)."""

    def __init__(self, breite, eps=1e-5):
        super().__init__()
        self.breite = breite
        self.eps = eps
        self.skala = nn.Parameter(torch.ones(breite))

    def forward(self, eingabe):
        quadrate = eingabe * eingabe
        mittel = quadrate.sum(dim=-1, keepdim=True) / self.breite
        normiert = eingabe / (mittel + self.eps)
        return self.skala * normiert
