# contract: scaled-dot-product
import torch

def attention(q, k, v, mask=None):
    """Tensors are (batch, seq, heads, head_dim), as in flash attention."""
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) * q.shape[-1] ** -0.5
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    p = s.softmax(dim=-1)
    return torch.einsum("bhqk,bkhd->bqhd", p, v)
