# contract: causal-attention
import torch
from torch import nn
from torch.nn import functional as F


class CausalMixer(nn.Module):
    """h + attend(pre-norm of h). Channel c belongs to head c % heads."""

    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.ln = nn.LayerNorm(dim)
        self.to_qkv = nn.Linear(dim, 3 * dim)
        self.back = nn.Linear(dim, dim)

    def forward(self, h):
        batch, count, dim = h.shape
        wide = self.to_qkv(self.ln(h)).reshape(batch, count, 3, dim // self.heads, self.heads)
        query, key, value = (wide[:, :, i].permute(0, 3, 1, 2) for i in range(3))
        got = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return h + self.back(got.permute(0, 2, 3, 1).reshape(batch, count, dim))
