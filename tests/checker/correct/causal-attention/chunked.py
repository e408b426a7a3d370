# contract: causal-attention
import torch
import torch.nn as nn


class ChunkedCausalAttention(nn.Module):
    """Queries in chunks; every chunk looks only at the keys up to its own end."""

    def __init__(self, dim, heads, chunk=4):
        super().__init__()
        self.heads, self.chunk = heads, chunk
        self.w_in = nn.Parameter(torch.randn(3, dim, dim) * dim ** -0.5)
        self.b_in = nn.Parameter(torch.zeros(3, dim))
        self.w_out = nn.Parameter(torch.randn(dim, dim) * dim ** -0.5)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = torch.einsum("bnc,pcd->pbnd", x, self.w_in) + self.b_in[:, None, None]
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        q = q * q.shape[-1] ** -0.5
        parts = []
        for lo in range(0, n, self.chunk):
            hi = min(lo + self.chunk, n)
            s = q[:, :, lo:hi] @ k[:, :, :hi].mT
            rows = torch.arange(lo, hi, device=x.device)[:, None]
            cols = torch.arange(hi, device=x.device)
            s = torch.where(cols <= rows, s, torch.finfo(s.dtype).min)
            parts.append(s.softmax(-1) @ v[:, :, :hi])
        y = torch.cat(parts, 2).transpose(1, 2).reshape(b, n, c)
        return y @ self.w_out
