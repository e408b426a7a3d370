# contract: scaled-dot-product
import torch


def aufmerksamkeit(q, k, v, mask=None):
    """Skalarprodukt-Aufmerksamkeit, eine Anfrage nach der anderen."""
    wurzel = q.shape[-1] ** 0.5
    zeilen = []
    for i in range(q.shape[-2]):
        punkte = (k * q[..., i : i + 1, :]).sum(-1) / wurzel
        if mask is not None:
            punkte = torch.where(mask[..., i, :], punkte, torch.finfo(punkte.dtype).min)
        gewichte = torch.softmax(punkte, dim=-1)
        zeilen.append((gewichte.unsqueeze(-1) * v).sum(-2))
    return torch.stack(zeilen, dim=-2)
