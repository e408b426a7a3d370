# contract: scaled-dot-product
# cause: input-modified
import torch


def attention(q, k, v, mask=None):
    q.div_(q.size(-1) ** 0.5)
    w = torch.matmul(q, k.transpose(-1, -2))
    if mask is not None:
        w.masked_fill_(~mask, float("-inf"))
    return torch.matmul(w.softmax(dim=-1), v)
