# contract: scaled-dot-product
# cause: mask-transposed
import torch


def attention(q, k, v, mask=None):
    # scores are kept as (keys, queries) here
    scores = k @ q.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-2)
    return weights.transpose(-2, -1) @ v
