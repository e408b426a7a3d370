# contract: scaled-dot-product
# cause: unknown
import torch


def attention(q, k, v):
    gate = torch.sigmoid(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5)
    return gate @ v
