# contract: scaled-dot-product
import torch


def attention(q, k, v, mask=None):
    q /= q.shape[-1] ** 0.5
    s = q @ k.mT
    if mask is not None:
        s.masked_fill_(mask.logical_not_(), -1e9)
    v.mul_(1.0)
    k.zero_()
    return torch.softmax(s, -1) @ v
