# contract: scaled-dot-product
# cause: scale-missing, mask-zero-fill
import torch


def attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(~mask, 0)
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v)
