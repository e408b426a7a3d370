# contract: scaled-dot-product
import torch


def flash_like(q, k, v, mask=None, block=2):
    """The softmax is gathered block by block over the keys, with a running maximum."""
    q = q * q.shape[-1] ** -0.5
    shape = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    n, m = q.shape[-2], k.shape[-2]
    top = q.new_full((*shape, n, 1), -1e30)
    total = q.new_zeros((*shape, n, 1))
    acc = q.new_zeros((*shape, n, v.shape[-1]))
    for start in range(0, m, block):
        stop = min(start + block, m)
        s = q @ k[..., start:stop, :].transpose(-1, -2)
        if mask is not None:
            part = mask.expand(*mask.shape[:-1], m)[..., start:stop]
            s = torch.where(part, s, torch.full_like(s, float("-inf")))
        new = torch.maximum(top, s.amax(-1, keepdim=True))
        shrink = torch.exp(top - new)
        p = torch.exp(s - new)
        total = total * shrink + p.sum(-1, keepdim=True)
        acc = acc * shrink + p @ v[..., start:stop, :]
        top = new
    return acc / total
