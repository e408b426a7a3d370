# contract: scaled-dot-product
# cause: softmax-queries
import torch


def attn(q, k, v):
    d = q.shape[-1]
    wei = q @ k.transpose(-2, -1) * d**-0.5
    wei = torch.softmax(wei, dim=-2)
    return wei @ v
