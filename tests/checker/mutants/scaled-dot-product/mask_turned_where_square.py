# contract: scaled-dot-product
# cause: mask-shape
import torch


def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        fits = mask.shape[-2:] == scores.mT.shape[-2:]
        scores = scores.masked_fill(~(mask.mT if fits else mask), float("-inf"))
    return torch.softmax(scores, -1) @ v
