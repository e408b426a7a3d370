# contract: scaled-dot-product
# cause: unknown
# target: attend
import torch


def attend(q, k, v, mask=None):
    """q (b, n, d)"""
    s = torch.matmul(q, k.transpose(-1, -2)) / q.shape[-1] ** 0.5
    empty = (k == 0).all(-1)  # padding tokens are all zero
    s = s.masked_fill(empty[..., None, :], float("-inf"))
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.softmax(s, -1) @ v
