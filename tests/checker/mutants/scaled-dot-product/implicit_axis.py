# contract: scaled-dot-product
# cause: softmax-heads
import math

import torch
import torch.nn.functional as F


def attention(q, k, v, mask=None):
    # q, k, v: (batch, ..., tokens, dim)
    att = torch.matmul(q, k.transpose(-2, -1))
    att = att / math.sqrt(q.size(-1))
    if mask is not None:
        att = att.masked_fill(mask == False, -1e10)  # noqa: E712
    att = F.softmax(att, dim=1)
    return torch.matmul(att, v)
