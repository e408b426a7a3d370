# contract: scaled-dot-product
# cause: input-modified
import math

import torch


def attention(q, k, v, mask=None):
    d = q.size(-1)
    q /= math.sqrt(d)
    att = torch.einsum("...id,...jd->...ij", q, k)
    if mask is not None:
        att = att.masked_fill(~mask, -torch.inf)
    att = att.softmax(-1)
    return torch.einsum("...ij,...jc->...ic", att, v)
