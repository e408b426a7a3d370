# contract: causal-attention
# cause: scale-width
import torch
from torch import nn, einsum


class Attention(nn.Module):
    def __init__(self, dim, heads=3):
        super().__init__()
        self.heads = heads
        self.scale = dim**-0.5

        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, _, h = *x.shape, self.heads
        q = self.to_q(x)
        k, v = self.to_kv(x).chunk(2, dim=-1)
        q, k, v = (t.reshape(b, n, h, -1).transpose(1, 2) for t in (q, k, v))

        dots = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        mask = torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1)
        dots.masked_fill_(mask, -torch.finfo(dots.dtype).max)
        attn = dots.softmax(dim=-1)

        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        out = out.transpose(1, 2).reshape(b, n, -1)
        return self.to_out(out)
