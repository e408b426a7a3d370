# contract: scaled-dot-product
# cause: softmax-missing
import math
import torch


def scaled_dot_product(q, k, v):
    attn_weight = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return attn_weight @ v
