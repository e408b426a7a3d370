# contract: scaled-dot-product
# cause: mask-zero-fill
import torch
import numpy as np

MASK_VALUE = -1e-9


def attention(q, k, v, mask=None):
    d = q.shape[-1]
    scores = torch.matmul(q, k.transpose(-1, -2)) / np.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(~mask, MASK_VALUE)
    attn = torch.nn.functional.softmax(scores, dim=-1)
    return attn @ v
