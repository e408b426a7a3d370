# contract: scaled-dot-product
# cause: k-v-swapped
import torch


def attention(q, v, k):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    return weights @ v
