# contract: gat-layer
# cause: heads-summed
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    def __init__(self, in_dim, out_dim, num_heads=3):
        super().__init__()
        self.h, self.d = num_heads, out_dim
        self.W = nn.Linear(in_dim, num_heads * out_dim, bias=False)
        self.a = nn.Parameter(torch.randn(num_heads, 2 * out_dim))

    def forward(self, x, adj):
        """The heads are averaged."""
        n = len(x)
        z = self.W(x).view(n, self.h, self.d)
        t, s = (z * self.a[:, : self.d]).sum(-1), (z * self.a[:, self.d :]).sum(-1)
        e = F.leaky_relu(t[:, None] + s[None], 0.2).masked_fill((adj == 0)[..., None], -torch.inf)
        return torch.einsum("ijh,jhd->ihd", e.softmax(1), z).sum(1)
