# contract: scaled-dot-product
# cause: mask-zero-fill
import torch


def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) * (q.shape[-1] ** -0.5)
    if mask is not None:
        scores = torch.where(mask, scores, torch.zeros_like(scores))
    return torch.softmax(scores, -1) @ v
