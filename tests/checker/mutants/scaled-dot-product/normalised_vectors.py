# contract: scaled-dot-product
# cause: similarity-cosine
import torch
import torch.nn.functional as F


def attention(q, k, v):
    d = q.shape[-1]
    q = F.normalize(q, dim=-1)
    k = F.normalize(k, dim=-1)
    return torch.softmax(q @ k.transpose(-2, -1) / d**0.5, dim=-1) @ v
