# contract: scaled-dot-product
# cause: scale-missing,mask-ignored
import torch


def attention(q, k, v, mask=None):
    """softmax(q k^T) v for every query."""
    S = torch.matmul(q, k.transpose(-2, -1))
    A = S.softmax(dim=-1)
    out = torch.matmul(A, v)
    return out
