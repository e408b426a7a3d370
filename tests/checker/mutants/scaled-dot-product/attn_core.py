# contract: scaled-dot-product
# cause: mask-after-softmax
import math
import torch


def attn(q, k, v, mask=None):
    w = q.matmul(k.transpose(-1, -2)).mul(1.0 / math.sqrt(q.shape[-1])).softmax(-1)
    if mask is not None:
        # hidden keys contribute nothing
        w = w * mask.to(w.dtype)
    return w.matmul(v)
