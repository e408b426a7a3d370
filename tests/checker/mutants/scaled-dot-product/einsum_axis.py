# contract: scaled-dot-product
# cause: softmax-queries
from typing import Optional

import torch
from torch import Tensor


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor] = None) -> Tensor:
    scale = 1.0 / q.shape[-1] ** 0.5
    logits = torch.einsum("...qd,...kd->...qk", q, k) * scale
    if mask is not None:
        logits = torch.where(mask, logits, torch.full_like(logits, -1e9))
    weights = torch.softmax(logits, dim=-2)
    return torch.einsum("...qk,...kc->...qc", weights, v)
