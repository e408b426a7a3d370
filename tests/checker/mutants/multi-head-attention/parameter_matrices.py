# contract: multi-head-attention
# cause: scale-missing
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Projections as parameters of shape (channels, heads, head width)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        d = width // heads
        self.Wq = nn.Parameter(torch.randn(width, heads, d) / width**0.5)
        self.Wk = nn.Parameter(torch.randn(width, heads, d) / width**0.5)
        self.Wv = nn.Parameter(torch.randn(width, heads, d) / width**0.5)
        self.Wo = nn.Parameter(torch.randn(heads, d, width) / width**0.5)

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnc,chd->bnhd", query, self.Wq)
        k = torch.einsum("bmc,chd->bmhd", key, self.Wk)
        v = torch.einsum("bmc,chd->bmhd", value, self.Wv)
        scores = torch.einsum("bnhd,bmhd->bhnm", q, k)
        if mask is not None:
            scores = torch.where(mask[:, None, None, :], scores, -torch.inf)
        weights = scores.softmax(-1)
        return torch.einsum("bhnm,bmhd,hdc->bnc", weights, v, self.Wo)
