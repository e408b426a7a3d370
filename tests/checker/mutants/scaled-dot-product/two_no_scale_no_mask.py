# contract: scaled-dot-product
# cause: scale-missing, mask-ignored
import torch


def attention(q, k, v, mask=None, eps=None):
    weights = torch.softmax(q @ k.transpose(-1, -2), dim=-1)
    context = weights @ v
    return context
