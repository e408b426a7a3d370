# contract: scaled-dot-product
import torch


def scaled_dot_product(query, key, value, mask=None):
    d = query.shape[-1]
    scores = query.matmul(key.transpose(-2, -1)) * (d ** -0.5)
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)
    scores = scores.masked_fill(~allowed, -1e30)
    scores = scores - scores.amax(dim=-1, keepdim=True)
    numerator = scores.exp() * allowed
    return numerator.matmul(value) / numerator.sum(dim=-1, keepdim=True)
