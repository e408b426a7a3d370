# contract: scaled-dot-product
# cause: softmax-heads
import torch
import torch.nn.functional as F


def multihead_core(q, k, v, mask=None):
    # q, k, v: (batch, heads, length, dim)
    batch, heads, length, dim = q.size()
    score = torch.matmul(q, k.permute(0, 1, 3, 2)) / (dim**0.5)
    if mask is not None:
        score = score.masked_fill(~mask, -1e9)
    score = F.softmax(score, dim=1)
    return torch.matmul(score, v)
