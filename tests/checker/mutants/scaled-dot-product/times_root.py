# contract: scaled-dot-product
# cause: scale-multiplied
import math
import torch
from torch import Tensor


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    scale = math.sqrt(q.shape[-1])
    logits = torch.einsum("...id,...jd->...ij", q, k) * scale
    if mask is not None:
        logits = torch.where(mask, logits, torch.full_like(logits, -torch.inf))
    return logits.softmax(-1) @ v
