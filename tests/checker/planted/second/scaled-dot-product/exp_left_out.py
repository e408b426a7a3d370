# contract: scaled-dot-product
# says: (exponential|exp|softmax|sum)
import math

import torch
import torch.nn.functional as F


def scaled_dot_product(q, k, v, mask=None):
    d = q.shape[-1]
    logits = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    attention = logits.clamp(min=-1e3) / logits.clamp(min=-1e3).sum(dim=-1, keepdim=True)
    return attention @ v
