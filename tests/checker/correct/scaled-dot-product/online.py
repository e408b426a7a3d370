# contract: scaled-dot-product
"""Attention with a running softmax over blocks of keys."""
import math
import torch


def online_attention(q, k, v, mask=None, block=3):
    n, m, d = q.shape[-2], k.shape[-2], q.shape[-1]
    lead = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    if mask is not None:
        mask = mask.expand(*lead, n, m)
    top = q.new_full((*lead, n, 1), -1e30)
    total = q.new_zeros((*lead, n, 1))
    acc = q.new_zeros((*lead, n, v.shape[-1]))
    for lo in range(0, m, block):
        s = (q / math.sqrt(d)) @ k[..., lo:lo + block, :].transpose(-1, -2)
        if mask is not None:
            s = s.masked_fill(~mask[..., lo:lo + block], float("-inf"))
        new = torch.maximum(top, s.amax(-1, keepdim=True))
        p = (s - new).exp()
        fix = (top - new).exp()
        total = total * fix + p.sum(-1, keepdim=True)
        acc = acc * fix + p @ v[..., lo:lo + block, :]
        top = new
    return acc / total
