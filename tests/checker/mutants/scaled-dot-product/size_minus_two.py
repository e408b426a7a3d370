# contract: scaled-dot-product
# cause: scale-length
import torch


def sdpa(q, k, v, mask=None):
    s = (q @ k.mT) / k.size(-2) ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask.bool(), -torch.inf)
    w = torch.softmax(s, -1)
    return w @ v
