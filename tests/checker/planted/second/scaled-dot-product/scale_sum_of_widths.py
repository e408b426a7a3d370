# contract: scaled-dot-product
# says: (scores|scale) & (width|channels|0.7071|constant|multiplied)
import math

import torch
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d = q.shape[-1]
    logits = q @ k.transpose(-2, -1) / math.sqrt(2 * d)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    attention = F.softmax(logits, dim=-1)
    return attention @ v
