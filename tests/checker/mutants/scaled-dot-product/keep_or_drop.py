# contract: scaled-dot-product
# cause: mask-inverted
import torch


def sdpa(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None):
    """mask: boolean, True where the query may see the key."""
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s.masked_fill(mask, -1e30)
    return s.softmax(-1) @ v
