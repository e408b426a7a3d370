# contract: scaled-dot-product
# cause: scores-beside
import math
import torch
import torch.nn.functional as F


def scaled_attention(query, key, value, mask=None):
    """Returns (output, attention weights)."""
    attn = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        attn = attn.masked_fill(mask == 0, float("-inf"))
    probs = F.softmax(attn, dim=-1).masked_fill(
        torch.zeros_like(attn, dtype=torch.bool) if mask is None else mask == 0, 0.0
    )
    return probs @ value, attn
