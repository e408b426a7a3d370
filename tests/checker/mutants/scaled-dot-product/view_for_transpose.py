# contract: scaled-dot-product
# cause: keys-reshaped
import torch


def attention(q, k, v):
    *lead, m, d = k.shape
    kt = k.reshape(*lead, d, m)
    scores = torch.matmul(q, kt) / d**0.5
    attn = torch.softmax(scores, dim=-1)
    return torch.matmul(attn, v), attn
