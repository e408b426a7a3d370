# contract: causal-attention
# convention: fused-order
import torch
from torch import nn


class CausalAttention(nn.Module):
    """Fused projection, order (head, kind, width)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.d = heads, width // heads
        self.mix = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.mix(x).view(b, n, self.heads, 3, self.d).unbind(3)
        s = torch.einsum("bnhd,bmhd->bhnm", q, k) * self.d ** -0.5
        i = torch.arange(n, device=x.device)
        s = s.masked_fill(i[None, :] > i[:, None], -torch.inf)
        return self.out(torch.einsum("bhnm,bmhd->bnhd", s.softmax(-1), v).flatten(2))
