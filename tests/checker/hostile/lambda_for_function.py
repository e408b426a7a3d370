# contract: scaled-dot-product
import torch

attention = lambda q, k, v, mask=None: torch.softmax(
    (q @ k.mT / q.shape[-1] ** 0.5) if mask is None else (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -1e9), -1
) @ v
