# contract: scaled-dot-product
# cause: scale-length
import torch


def attn(q, k, v, mask=None):
    n_k = k.size(-2)
    w = q.matmul(k.transpose(-2, -1)).div(n_k**0.5)
    if mask is not None:
        w = w + torch.zeros_like(w).masked_fill_(~mask, float("-inf"))
    return w.softmax(-1).matmul(v)
