# contract: scaled-dot-product
# cause: keys-reshaped
import numpy as np
import torch


def attention(q, k, v, mask=None):
    m, d = k.shape[-2:]
    kT = k.reshape(*k.shape[:-2], d, m)
    logits = (q @ kT) / float(np.sqrt(d))
    if mask is not None:
        logits = logits + torch.zeros_like(logits).masked_fill(~mask, -1e9)
    weights = torch.softmax(logits, dim=-1)
    out = weights @ v
    return out
