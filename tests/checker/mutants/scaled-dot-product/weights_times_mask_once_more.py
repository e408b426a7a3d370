# contract: scaled-dot-product
# cause: mask-after-softmax
import math

import torch


def attention(q, k, v, mask=None):
    dim = k.size(-1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(dim)
    poids = torch.softmax(scores, dim=-1)
    if mask is not None:
        poids = poids * mask
    return poids @ v
