# contract: multi-head-attention
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    """Each head owns its slices: wq (h, c, d) and so on; the output sums over the heads."""

    def __init__(self, width, heads):
        super().__init__()
        d = width // heads
        self.wq = nn.Parameter(torch.randn(heads, width, d) / width ** 0.5)
        self.wk = nn.Parameter(torch.randn(heads, width, d) / width ** 0.5)
        self.wv = nn.Parameter(torch.randn(heads, width, d) / width ** 0.5)
        self.wo = nn.Parameter(torch.randn(heads, d, width) / width ** 0.5)

    def forward(self, query, key, value, mask=None):
        q = torch.einsum("bnc,hcd->bhnd", query, self.wq)
        k = torch.einsum("bmc,hcd->bhmd", key, self.wk)
        v = torch.einsum("bmc,hcd->bhmd", value, self.wv)
        s = torch.einsum("bhnd,bhmd->bhnm", q, k) / q.shape[-1] ** 0.5
        if mask is not None:
            s = s.masked_fill(~mask[:, None, None, :], -1e9)
        return torch.einsum("bhnm,bhmd,hdc->bnc", s.softmax(-1), v, self.wo)
