# contract: scaled-dot-product
# cause: scale-value-width
import torch


def attention(queries, keys, values, mask=None):
    *_, num_keys, width = values.shape
    scores = (queries @ keys.transpose(-2, -1)) * width**-0.5
    if mask is not None:
        neg = torch.finfo(scores.dtype).min
        scores = torch.where(mask, scores, neg)
    # weights: (..., num_queries, num_keys)
    weights = torch.softmax(scores, dim=-1)
    return weights @ values
