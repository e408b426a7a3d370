# contract: scaled-dot-product
# cause: softmax-unstable
import math
import torch


def my_softmax(z):
    e = torch.exp(z)
    return e / e.sum(-1, keepdim=True)


def attention(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2)
    s = s / math.sqrt(k.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return my_softmax(s) @ v
