# contract: scaled-dot-product
# cause: weights-transposed
import torch


def attention(q, k, v):
    w = torch.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5
    w = w.softmax(dim=-1)
    return torch.einsum("...ji,...jc->...ic", w, v)
