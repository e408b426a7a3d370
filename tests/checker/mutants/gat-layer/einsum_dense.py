# contract: gat-layer
# cause: mask-zero-fill
import torch
from torch import nn, einsum
from torch.nn import functional as F


class GAT(nn.Module):
    def __init__(self, dim_in, dim_head, heads=3):
        super().__init__()
        self.heads = heads
        self.proj = nn.Parameter(torch.randn(heads, dim_in, dim_head) * dim_in**-0.5)
        self.left = nn.Parameter(torch.randn(heads, dim_head) * dim_head**-0.5)
        self.right = nn.Parameter(torch.randn(heads, dim_head) * dim_head**-0.5)

    def forward(self, x, adj):
        n = x.shape[0]
        mask = (adj != 0) | torch.eye(n, dtype=torch.bool, device=x.device)
        v = einsum("n i, h i d -> h n d", x, self.proj)
        scores = (
            einsum("h n d, h d -> h n", v, self.left)[:, :, None]
            + einsum("h n d, h d -> h n", v, self.right)[:, None, :]
        )
        scores = F.leaky_relu(scores, 0.2)
        scores = scores.masked_fill(~mask, 0.0)
        attn = scores.softmax(dim=-1)
        out = einsum("h i j, h j d -> i h d", attn, v)
        return out.flatten(1)
