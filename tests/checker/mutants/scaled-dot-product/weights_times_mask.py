# contract: scaled-dot-product
# cause: mask-after-softmax
import torch
import torch.nn.functional as F


def sdp(q, k, v, mask=None):
    att = F.softmax(q @ k.transpose(-1, -2) / q.size(-1) ** 0.5, dim=-1)
    if mask is not None:
        att = att * mask.to(att.dtype)
    return att @ v
