# contract: scaled-dot-product
# cause: mask-added
import torch
import torch.nn.functional as F


def scaled_dot_product_attention(query, key, value, attn_mask=None):
    scale_factor = 1 / query.size(-1) ** 0.5
    attn_weight = query @ key.transpose(-2, -1) * scale_factor
    if attn_mask is not None:
        attn_weight = attn_weight + attn_mask
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return attn_weight @ value
