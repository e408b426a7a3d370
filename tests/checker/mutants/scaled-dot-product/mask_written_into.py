# contract: scaled-dot-product
# cause: input-modified
import torch


def attention(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(~mask, -torch.inf)
        mask.fill_(True)
    return torch.exp(s - torch.logsumexp(s, dim=-1, keepdim=True)) @ v
