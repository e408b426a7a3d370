# contract: causal-attention
import torch
from torch import nn

class CausalSelfAttention(nn.Module):
    """Causal attention with a padding option: lengths (b,) may be left out."""

    def __init__(self, dim, heads, window=4096):
        super().__init__()
        self.heads = heads
        self.window = window
        self.inp = nn.Linear(dim, 3 * dim, bias=False)
        self.outp = nn.Linear(dim, dim, bias=False)

    def forward(self, x, lengths=None):
        b, n, c = x.shape
        q, k, v = self.inp(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        pos = torch.arange(n, device=x.device)
        keep = (pos[None] <= pos[:, None]) & (pos[:, None] - pos[None] < self.window)
        keep = keep[None, None]
        if lengths is not None:
            keep = keep & (pos[None] < lengths[:, None])[:, None, None]
        s = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~keep, float("-inf"))
        return self.outp((s.softmax(-1) @ v).transpose(1, 2).flatten(2))
