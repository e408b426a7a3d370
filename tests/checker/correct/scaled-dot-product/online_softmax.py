# contract: scaled-dot-product
import torch


def flash_like(q, k, v, mask=None):
    """Running maximum over blocks of keys, as in the flash paper."""
    block = 4
    n, m = q.shape[-2], k.shape[-2]
    top = q.new_full((*q.shape[:-1], 1), -1e30)
    total = torch.zeros_like(top)
    acc = q.new_zeros(*q.shape[:-1], v.shape[-1])
    if mask is not None:
        mask = mask.expand(*q.shape[:-2], n, m)
    for j in range(0, m, block):
        s = q @ k[..., j : j + block, :].transpose(-2, -1) * q.shape[-1] ** -0.5
        if mask is not None:
            s = s.masked_fill(~mask[..., j : j + block], -1e30)
        new = torch.maximum(top, s.amax(-1, keepdim=True))
        p = torch.exp(s - new)
        old = torch.exp(top - new)
        total = total * old + p.sum(-1, keepdim=True)
        acc = acc * old + p @ v[..., j : j + block, :]
        top = new
    return acc / total
