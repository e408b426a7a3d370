# contract: scaled-dot-product
# cause: softmax-unnormalised
import torch


def attention(query, key, value, mask=None):
    scores = torch.einsum("...nd,...md->...nm", query, key) / query.shape[-1] ** 0.5
    weights = torch.exp(scores)
    if mask is not None:
        weights = weights * mask
    return torch.einsum("...nm,...mc->...nc", weights, value)
