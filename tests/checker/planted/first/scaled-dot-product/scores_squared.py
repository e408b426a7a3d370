# contract: scaled-dot-product
# says: squar & scores
import math

import torch
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d = q.shape[-1]
    logits = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    logits = logits.sign().clamp(min=-1e9) * 0 + torch.where(logits.isinf(), logits, logits**2)
    attention = F.softmax(logits, dim=-1)
    return attention @ v
