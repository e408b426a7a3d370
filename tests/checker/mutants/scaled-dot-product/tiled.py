# contract: scaled-dot-product
# cause: values-not-rescaled-2
import math
import torch

TILE = 2


def tiled_attention(q, k, v, mask=None):
    n, m = q.shape[-2], k.shape[-2]
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    running_max = q.new_full((*lead, n, 1), -1e30)
    running_sum = q.new_zeros((*lead, n, 1))
    acc = q.new_zeros((*lead, n, v.shape[-1]))
    if mask is not None:
        mask = mask.expand(*lead, n, m)

    for start in range(0, m, TILE):
        stop = min(start + TILE, m)
        s = q @ k[..., start:stop, :].transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            s = s.masked_fill(~mask[..., start:stop], float("-inf"))
        new_max = torch.maximum(running_max, s.max(dim=-1, keepdim=True).values)
        p = torch.exp(s - new_max)
        correction = torch.exp(running_max - new_max)
        running_sum = running_sum * correction + p.sum(dim=-1, keepdim=True)
        acc = acc + p @ v[..., start:stop, :]
        running_max = new_max
    return acc / running_sum
