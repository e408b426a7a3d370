# contract: scaled-dot-product
import torch


class Sizes:
    """All heads of this program have one width."""

    d_k = 16
    layers = 2


def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / Sizes.d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return torch.softmax(scores, dim=-1) @ v
