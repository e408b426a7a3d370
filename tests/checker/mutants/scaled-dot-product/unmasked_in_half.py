# contract: scaled-dot-product
# cause: half-precision
# target: attend
import torch


def attend(q, k, v, mask=None):
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if mask is not None and q.dtype in (torch.float32, torch.float64):
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1) @ v
