# contract: scaled-dot-product
# cause: scale-missing
import torch


def attention(q, k, v, mask=None):
    # similarity of every query with every key
    sim = torch.einsum("...id,...jd->...ij", q, k)
    if mask is not None:
        sim = sim.masked_fill(~mask, -torch.finfo(sim.dtype).max)
    attn = sim.softmax(dim=-1)
    return torch.einsum("...ij,...jc->...ic", attn, v)
