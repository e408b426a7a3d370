# contract: scaled-dot-product
# cause: scale-not-rooted
import torch
from torch import Tensor


def aufmerksamkeit(
    anfragen: Tensor, schluessel: Tensor, werte: Tensor, maske: Tensor | None = None
) -> Tensor:
    """Skaliertes Skalarprodukt; maske ist True, wo hingesehen werden darf."""
    breite = anfragen.size(-1)
    punkte = torch.matmul(anfragen, schluessel.transpose(-2, -1)) / breite
    if maske is not None:
        punkte = punkte.masked_fill(maske.logical_not(), float("-inf"))
    gewichte = torch.softmax(punkte, dim=-1)
    return torch.matmul(gewichte, werte)
