# contract: scaled-dot-product
# cause: mask-inverted
import torch
import torch.nn.functional as F


def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Attention through the fused kernel.

    mask: bool, broadcasts to (..., n, m), True where the query may see the key.
    """
    if mask is None:
        return F.scaled_dot_product_attention(q, k, v)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=torch.logical_not(mask))
