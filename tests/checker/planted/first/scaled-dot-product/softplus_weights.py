# contract: scaled-dot-product
# says: softplus
import math

import torch
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d = q.shape[-1]
    logits = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    attention = F.softplus(logits)
    attention = attention / attention.sum(dim=-1, keepdim=True)
    return attention @ v
