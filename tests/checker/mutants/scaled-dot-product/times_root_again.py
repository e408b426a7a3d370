# contract: scaled-dot-product
# cause: scale-multiplied
from math import sqrt

import torch


def attend(q, k, v, mask=None):
    scale = sqrt(q.shape[-1])
    dots = torch.matmul(q, k.transpose(-1, -2)) * scale
    if mask is not None:
        dots = dots.masked_fill(~mask, torch.finfo(dots.dtype).min)
    return torch.matmul(dots.softmax(dim=-1), v)
