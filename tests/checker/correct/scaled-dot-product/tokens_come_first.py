# contract: scaled-dot-product
import torch

def attention(q, k, v):
    """q: (n, b, d), k: (m, b, d), v: (m, b, c) -- sequence first."""
    logits = torch.einsum("nbd,mbd->bnm", q, k) / q.shape[-1] ** 0.5
    return torch.einsum("bnm,mbc->nbc", logits.softmax(-1), v)
