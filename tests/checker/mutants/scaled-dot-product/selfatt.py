# contract: scaled-dot-product
# cause: scale-missing,mask-zero-fill
import torch
from torch import nn


def attention(Q, K, V, mask=None):
    # similarity of every query with every key
    sim = torch.matmul(Q, K.transpose(-1, -2))
    if mask is not None:
        sim = sim * mask
    alpha = nn.functional.softmax(sim, dim=-1)
    return torch.matmul(alpha, V)
