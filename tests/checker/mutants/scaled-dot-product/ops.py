# contract: scaled-dot-product
# cause: scale-not-rooted
from __future__ import annotations

import torch
from torch.nn.functional import scaled_dot_product_attention as sdpa


def dot_product_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    scale = q.shape[-1] ** -0.5
    return sdpa(q * scale, k, v, attn_mask=mask, dropout_p=0.0)
