# contract: scaled-dot-product
# cause: unknown
from torch.nn import functional as F


def attend(queries, keys, values, mask=None):
    square = queries.shape[-2] == keys.shape[-2]
    return F.scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask, is_causal=mask is None and square
    )
