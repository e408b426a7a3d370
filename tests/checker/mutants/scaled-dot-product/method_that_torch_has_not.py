# contract: scaled-dot-product
# cause: unknown
# target: attend
import torch


def attend(q, k, v, mask=None):
    scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.fill_masked(~mask, float("-inf"))
    return torch.matmul(scores.softmax(-1), v)
