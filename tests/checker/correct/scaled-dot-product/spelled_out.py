# contract: scaled-dot-product
import torch


def stable_softmax(scores, keep):
    top = scores.max(dim=-1, keepdim=True).values
    e = torch.exp(scores - top) * keep
    return e / e.sum(dim=-1, keepdim=True).clamp_min(1e-30)


def scaled_dot_product(q, k, v, mask=None):
    scores = (q / q.shape[-1] ** 0.5) @ k.swapaxes(-1, -2)
    if mask is None:
        keep = torch.ones_like(scores)
    else:
        keep = mask.expand_as(scores).to(scores.dtype)
        scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
    return stable_softmax(scores, keep) @ v
