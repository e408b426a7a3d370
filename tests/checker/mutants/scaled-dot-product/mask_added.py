# contract: scaled-dot-product
# cause: mask-added
import torch
from torch import nn


def dot_product_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor = None
) -> torch.Tensor:
    dimension = queries.shape[-1]
    scores = torch.einsum("...nd,...md->...nm", queries, keys) / dimension**0.5
    if mask is not None:
        scores = scores + mask.to(scores.dtype)
    return nn.Softmax(dim=-1)(scores) @ values
