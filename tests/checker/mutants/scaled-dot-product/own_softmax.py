# contract: scaled-dot-product
# cause: softmax-unstable
import math

import torch


def my_softmax(s):
    e = torch.exp(s)
    return e / e.sum(dim=-1, keepdim=True)


def attention(q, k, v, mask=None):
    s = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    if mask is not None:
        s = s.masked_fill(torch.logical_not(mask), float("-inf"))
    return torch.matmul(my_softmax(s), v)
