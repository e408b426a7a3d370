# contract: scaled-dot-product
from typing import Optional

import torch


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Optional[torch.Tensor] = None
) -> torch.Tensor:
    # split the scale between both sides, which is kinder to half precision
    root = q.size(-1) ** -0.25
    scores = (q * root) @ (k * root).transpose(-2, -1)
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=q.dtype, device=q.device).masked_fill_(~mask, float("-inf"))
        scores = scores + bias
    return torch.softmax(scores, -1) @ v
