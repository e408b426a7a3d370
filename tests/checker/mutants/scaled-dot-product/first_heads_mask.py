# contract: scaled-dot-product
# cause: mask-shape
import torch
from torch.nn.functional import softmax


def attention(q, k, v, mask=None):
    """All (batch, heads, tokens, depth). mask: (batch, heads, tokens, tokens) or broadcastable, nonzero = visible."""
    d_k = q.size(-1)
    scores = q.matmul(k.transpose(-2, -1)).div_(d_k**0.5)
    if mask is not None:
        assert mask.dim() == 4, "mask must have four axes"
        scores = scores.masked_fill(mask[:, :1] == 0, -1e30)
    weights = softmax(scores, dim=-1)
    return weights.matmul(v), weights
