# contract: scaled-dot-product
# cause: unknown
import torch


def attention_exp2(q, k, v, mask=None):
    """exp2 is cheaper than exp on the device, so the softmax is written with it."""
    sm_scale = q.shape[-1] ** -0.5
    qk = torch.matmul(q * sm_scale, k.transpose(-1, -2))
    if mask is not None:
        qk = qk.masked_fill(~mask, float("-inf"))
    m = qk.amax(dim=-1, keepdim=True)
    p = torch.exp2(qk - m)
    l = p.sum(dim=-1, keepdim=True)
    return torch.matmul(p, v) / l
