# contract: scaled-dot-product
# cause: unknown
import torch


def scaled_dot_product(q, k, v, mask=None, scale=None):
    if scale is None:
        scale = q.size(-1) ** -0.5
    s = torch.matmul(q, k.transpose(-2, -1)) * q.size(-1) ** -0.5
    if mask is not None:
        s.masked_fill_(mask.logical_not(), float("-inf"))
    return torch.matmul(s.softmax(-1), v)
