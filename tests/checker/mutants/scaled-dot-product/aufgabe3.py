# contract: scaled-dot-product
# cause: scale-missing
import torch
import torch.nn.functional as F


def aufmerksamkeit(anfragen, schluessel, werte, maske=None):
    """maske: True, wo die Anfrage den Schluessel sehen darf."""
    punkte = torch.einsum("...nd,...md->...nm", anfragen, schluessel)
    if maske is not None:
        punkte = punkte.masked_fill(~maske, float("-inf"))
    gewichte = F.softmax(punkte, dim=-1)
    return torch.einsum("...nm,...mc->...nc", gewichte, werte)
