# contract: scaled-dot-product
# cause: softmax-all
import torch


def attention(q, k, v):
    n, m = q.shape[-2], k.shape[-2]
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    flat = scores.reshape(*scores.shape[:-2], n * m)
    weights = flat.softmax(dim=-1).reshape(*scores.shape[:-2], n, m)
    return weights @ v
