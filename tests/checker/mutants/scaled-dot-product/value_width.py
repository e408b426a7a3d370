# contract: scaled-dot-product
# cause: scale-value-width
import math

import torch


def scaled_dot_product_attention(query, key, value, mask=None):
    d_k = value.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    p_attn = torch.softmax(scores, dim=-1)
    return torch.matmul(p_attn, value)
