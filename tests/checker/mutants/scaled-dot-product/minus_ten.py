# contract: scaled-dot-product
# cause: mask-weak
import torch


def attention(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -10.0)
    return s.softmax(-1) @ v
