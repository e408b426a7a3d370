# contract: scaled-dot-product
# says: (sign|minus|negative|negated)
import math

import torch
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d = q.shape[-1]
    logits = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    attention = F.softmin(logits.masked_fill(logits == float('-inf'), float('inf')), dim=-1)
    return attention @ v
