# contract: scaled-dot-product
# cause: softmax-unstable
import math
import torch


def my_softmax(z):
    e = torch.exp(z)
    return e / e.sum(dim=-1, keepdim=True)


def attention(q, k, v, mask=None):
    z = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    if mask is not None:
        z = z.masked_fill(mask.logical_not(), -math.inf)
    return my_softmax(z) @ v
