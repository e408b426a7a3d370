# contract: scaled-dot-product
import torch


def attention(*, query, key, value, mask=None):
    s = torch.matmul(query, key.mT).div(query.shape[-1] ** 0.5)
    if mask is not None:
        s = s + torch.where(mask, 0.0, -torch.inf).to(s.dtype)
    p = (s - s.amax(-1, keepdim=True)).exp()
    p = p.div(p.sum(-1, keepdim=True))
    return dict(output=p @ value, weights=p)
