# contract: scaled-dot-product
# cause: scale-not-rooted
import torch
import torch.nn.functional as F


def attention(q, k, v, mask=None):
    q = q * q.size(-1) ** -0.5
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
