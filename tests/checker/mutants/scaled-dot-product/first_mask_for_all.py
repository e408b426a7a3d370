# contract: scaled-dot-product
# cause: mask-shape
import math
import torch
from torch import Tensor


def dot_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, dropout_p: float = 0.0
):
    """query (B, N, D), key (B, M, D), value (B, M, E); mask (B, N, M) with 1 = keep."""
    scores = torch.bmm(query, key.transpose(1, 2)).div(math.sqrt(query.size(2)))
    if mask is not None:
        scores = scores.masked_fill(mask[:1] == 0 if mask.dim() == 3 else mask == 0, float("-inf"))
    attn = torch.softmax(scores, dim=2)
    attn = torch.nn.functional.dropout(attn, p=dropout_p, training=dropout_p > 0)
    return torch.bmm(attn, value), attn
