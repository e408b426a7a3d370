# contract: scaled-dot-product
# cause: rounded-inside
import torch


def dot_product_attention(q, k, v, mask=None):
    d = q.size(-1)
    scores = (q.half() @ k.half().transpose(-2, -1)).to(v.dtype)
    scores = scores * d**-0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ v
