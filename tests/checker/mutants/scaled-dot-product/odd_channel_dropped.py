# contract: scaled-dot-product
# cause: size-dependent
# target: attend
import torch


def attend(q, k, v, mask=None):
    d = 2 * (q.shape[-1] // 2)
    s = torch.einsum("...id,...jd->...ij", q[..., :d], k[..., :d]) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    return torch.softmax(s, -1) @ v
