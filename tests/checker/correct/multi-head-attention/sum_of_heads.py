# contract: multi-head-attention
import torch
from torch import nn
from torch.nn import functional as F


class MultiHeadAttention(nn.Module):
    """Every head has four matrices of its own; the output is the sum of what the heads write."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        d = width // heads
        make = lambda *shape: nn.ParameterList(nn.Parameter(torch.randn(*shape) * width**-0.5) for _ in range(heads))
        self.P, self.S, self.T, self.U = make(width, d), make(width, d), make(width, d), make(d, width)

    def forward(self, query, key, value, mask=None):
        attn_mask = None if mask is None else mask.unsqueeze(1)
        total = 0.0
        for p, s, t, u in zip(self.P, self.S, self.T, self.U):
            total = total + F.scaled_dot_product_attention(query @ p, key @ s, value @ t, attn_mask=attn_mask) @ u
        return total
