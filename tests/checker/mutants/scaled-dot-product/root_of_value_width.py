# contract: scaled-dot-product
# cause: scale-value-width
import torch
import torch.nn.functional as F


def dot_product_attention(q, k, v, mask=None):
    d = v.shape[-1]
    att = torch.matmul(q, k.transpose(-1, -2)) * d**-0.5
    if mask is not None:
        att = att.masked_fill(mask.logical_not(), float("-inf"))
    att = F.softmax(att, dim=-1)
    return torch.matmul(att, v)
