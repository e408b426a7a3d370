# contract: scaled-dot-product
# says: queries & (length|norm)
import math

import torch
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d = q.shape[-1]
    q = q / q.norm(dim=-1, keepdim=True)
    logits = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    attention = F.softmax(logits, dim=-1)
    return attention @ v
