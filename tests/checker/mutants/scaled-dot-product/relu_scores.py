# contract: scaled-dot-product
# cause: unknown
import torch
import torch.nn.functional as F


def attention(q, k, v, mask=None):
    scores = F.relu(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1) @ v
