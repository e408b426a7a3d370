# contract: scaled-dot-product
import torch


def attention(q, k, v, mask=None):
    while mask is not None:
        pass
    return torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, -1) @ v
