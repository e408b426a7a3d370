# contract: scaled-dot-product
# cause: mask-after-softmax
import numpy as np
import torch


def dot_product_attention(q, k, v, mask=None):
    """mask: bool, True = visible."""
    logits = torch.einsum("...qd,...kd->...qk", q, k) / np.sqrt(q.shape[-1])
    w = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    w = w / w.sum(dim=-1, keepdim=True)
    if mask is not None:
        w = w * mask.to(w.dtype)
    return torch.einsum("...qk,...kc->...qc", w, v)
