# contract: scaled-dot-product
import math
import torch


def attention(q, k, v, mask=None):
    """Slow but clear: one query after another."""
    d = q.shape[-1]
    rows = []
    for i in range(q.shape[-2]):
        s = (k * q[..., i : i + 1, :]).sum(-1) / math.sqrt(d)  # (..., m)
        if mask is not None:
            full = mask.expand(*q.shape[:-1], k.shape[-2])
            s = s.masked_fill(~full[..., i, :], float("-inf"))
        w = torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True))
        rows.append((w.unsqueeze(-1) * v).sum(-2))
    return torch.stack(rows, dim=-2)
