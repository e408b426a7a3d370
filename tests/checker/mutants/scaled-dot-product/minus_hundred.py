# contract: scaled-dot-product
# cause: mask-weak
import torch

HIDDEN = -100.0


def attention(query, key, value, visible=None):
    energy = torch.einsum("...ic,...jc->...ij", query, key) * query.shape[-1] ** -0.5
    if visible is not None:
        energy = torch.where(visible, energy, torch.full_like(energy, HIDDEN))
    return torch.einsum("...ij,...jc->...ic", energy.softmax(-1), value)
