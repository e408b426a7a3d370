# contract: scaled-dot-product
import torch


def sdp_attention(q, k, v, mask=None):
    d = k.shape[-1]
    s = q.matmul(k.mT).div(d ** 0.5)
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=q.dtype).masked_fill(~mask, torch.finfo(q.dtype).min / 2)
        s = s + bias
    w = torch.nn.functional.log_softmax(s, dim=-1).exp()
    return w.matmul(v), w
