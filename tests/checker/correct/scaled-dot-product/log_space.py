# contract: scaled-dot-product
import torch


def attention(anfrage, schluessel, wert, maske=None):
    """maske: True, wo gesehen werden darf."""
    breite = anfrage.shape[-1]
    # beide Seiten mit der vierten Wurzel, damit nichts zu gross wird
    a = anfrage * breite ** -0.25
    s = schluessel * breite ** -0.25
    logits = torch.einsum("...id,...jd->...ij", a, s)
    if maske is not None:
        logits = torch.where(maske, logits, torch.full_like(logits, -1e9))
    log_gewichte = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return torch.einsum("...ij,...jc->...ic", log_gewichte.exp(), wert)
