# contract: scaled-dot-product
# cause: mask-by-zero
import torch


def attention(query, key, value, mask=None):
    """mask: True where the query may see the key"""
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.size(-1) ** 0.5
    if mask is not None:
        scores = scores * mask
        scores = torch.where(scores == 0, torch.full_like(scores, float("-inf")), scores)
    return torch.softmax(scores, dim=-1) @ value
