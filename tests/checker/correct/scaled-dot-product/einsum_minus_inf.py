# contract: scaled-dot-product
# convention: masked-row-nan
import torch


def attend(q, k, v, mask=None):
    s = torch.einsum("...nd,...md->...nm", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, -torch.inf)
    return torch.einsum("...nm,...mc->...nc", s.softmax(-1), v)
