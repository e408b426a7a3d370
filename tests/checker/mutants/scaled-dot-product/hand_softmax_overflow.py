# contract: scaled-dot-product
# cause: softmax-unstable
import torch


def my_softmax(z):
    e = torch.exp(z)
    return e / e.sum(dim=-1, keepdim=True)


def attention(q, k, v):
    z = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    return my_softmax(z) @ v
