# contract: gaussian-mixture
# target: Gaussmischung
import math

import torch
import torch.nn as nn


class Gaussmischung(nn.Module):
    """Mischung von Gaussverteilungen mit diagonaler Kovarianz."""

    def __init__(self, anzahl, dimension):
        super().__init__()
        self.gewichte = nn.Parameter(torch.zeros(anzahl))
        self.mittel = nn.Parameter(torch.randn(anzahl, dimension))
        self.log_varianz = nn.Parameter(torch.zeros(anzahl, dimension))

    def log_dichte(self, x):
        abstand = (x[:, None] - self.mittel) ** 2 / self.log_varianz.exp()
        terme = -0.5 * (abstand + self.log_varianz + math.log(2 * math.pi)).sum(-1)
        return torch.logsumexp(terme + self.gewichte.log_softmax(0), dim=1)

    def verlust(self, x):
        return -self.log_dichte(x).mean()
